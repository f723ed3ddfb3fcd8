// rein/result.h: refusals become the exceptions of rein._errors, one class per Reason.
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
    case Reason::kMeaning:
      return "UnknownPolicy";
    case Reason::kInvalid:
    case Reason::kSequence:
    case Reason::kFailed:
    case Reason::kFenced:
      break;
  }
  return "Error";
}

void raise(const char* name, const std::string& message, std::string_view field = {}) {
  const nb::object type = nb::module_::import_("rein._errors").attr(name);
  // A message may name a path, and a path may hold any bytes.
  const nb::object text = nb::steal(PyUnicode_DecodeUTF8(
      message.data(), static_cast<Py_ssize_t>(message.size()), "surrogateescape"));
  if (!text.is_valid()) return;
  const nb::object error = type(text);
  if (!field.empty()) error.attr("field") = nb::str(field.data(), field.size());
  PyErr_SetObject(type.ptr(), error.ptr());
}

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Failure& failure) {
    raise(class_of(failure.reason()), failure.what(), failure.field());
  } catch (const Bug& bug) {
    raise("Bug", bug.what());
  }
}

}  // namespace

void bind_result(nb::module_&) { nb::register_exception_translator(translate); }

}  // namespace rein::bind
