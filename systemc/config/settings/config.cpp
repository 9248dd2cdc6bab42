#include "config/settings/config.h"

namespace coppice::config {

const char* to_string(Fidelity fidelity) {
  switch (fidelity) {
    case Fidelity::kAuto:
      return "auto";
    case Fidelity::kFlit:
      return "flit";
    case Fidelity::kLeap:
      return "leap";
    case Fidelity::kTrain:
      return "train";
    case Fidelity::kFluid:
      return "fluid";
  }
  return "?";
}

const char* to_string(Check check) {
  switch (check) {
    case Check::kAuto:
      return "auto";
    case Check::kValues:
      return "values";
    case Check::kContributions:
      return "contributions";
    case Check::kOff:
      return "off";
  }
  return "?";
}

const char* to_string(FlowControl flow_control) {
  switch (flow_control) {
    case FlowControl::kPacket:
      return "packet";
    case FlowControl::kMessage:
      return "message";
  }
  return "?";
}

const char* to_string(Implementation implementation) {
  switch (implementation) {
    case Implementation::kSystemc:
      return "systemc";
    case Implementation::kRtl:
      return "rtl";
  }
  return "?";
}

const char* to_string(ContextOrder order) {
  switch (order) {
    case ContextOrder::kRoundRobin:
      return "round_robin";
    case ContextOrder::kPriority:
      return "priority";
    case ContextOrder::kFifo:
      return "fifo";
  }
  return "?";
}

const char* to_string(EarlyMessages messages) {
  switch (messages) {
    case EarlyMessages::kHeld:
      return "held";
    case EarlyMessages::kAdded:
      return "added";
  }
  return "?";
}

const char* to_string(PacketRouting routing) {
  switch (routing) {
    case PacketRouting::kMinimal:
      return "minimal";
    case PacketRouting::kValiant:
      return "valiant";
    case PacketRouting::kAdaptive:
      return "adaptive";
    case PacketRouting::kUgal:
      return "ugal";
  }
  return "?";
}

const char* to_string(Arbitration arbitration) {
  switch (arbitration) {
    case Arbitration::kRoundRobin:
      return "round_robin";
    case Arbitration::kAge:
      return "age";
  }
  return "?";
}

const char* to_string(ComputeTime compute) {
  switch (compute) {
    case ComputeTime::kPublished:
      return "published";
    case ComputeTime::kPhysical:
      return "physical";
  }
  return "?";
}

}  // namespace coppice::config
