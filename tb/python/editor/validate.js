// Reads {"schema", "documents"} from the standard input, and writes the errors that ajv finds in each
// document.
const Ajv = require("ajv");
const fs = require("fs");

const { schema, documents } = JSON.parse(fs.readFileSync(0, "utf8"));
const validate = new Ajv({ allErrors: true, strict: true, allowUnionTypes: true }).compile(schema);
process.stdout.write(JSON.stringify(documents.map((document) =>
  validate(document) ? [] : validate.errors.map((error) => error.instancePath + ": " + error.message))));
