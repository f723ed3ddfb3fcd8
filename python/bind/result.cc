// rein/result.h: refusals become the exceptions of rein._errors, one class a Reason.
#include "rein/result.h"

#include "bind.h"

namespace rein::bind {
namespace {

const char* class_of(Reason reason) {
  switch (reason) {
    case Reason::kUnknown:
      return "UnknownDecision";
    case Reason::kExpired:
      return "ExpiredDecision";
    case Reason::kConflict:
      return "OutcomeConflict";
    case Reason::kFull:
      return "TooManyOpen";
    case Reason::kBudget:
      return "BudgetSpent";
    case Reason::kCorrupt:
      return "CorruptState";
    case Reason::kInvalid:
    case Reason::kSequence:
      break;
  }
  return "Error";
}

void raise(const char* name, const std::string& message) {
  const nb::object type = nb::module_::import_("rein._errors").attr(name);
  PyErr_SetString(type.ptr(), message.c_str());
}

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Refused& refused) {
    raise(class_of(refused.reason), refused.message);
  } catch (const Failure& failure) {
    raise("Error", failure.what());
  } catch (const Bug& bug) {
    raise("Bug", bug.what());
  }
}

}  // namespace

void bind_result(nb::module_&) { nb::register_exception_translator(translate); }

}  // namespace rein::bind
