// Every oracle of the table in every way it can be used: the list for the contract tests.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "estimate/listed_functions.h"
#include "rein/catalog.h"
#include "rein/oracle.h"
#include "rein/rng.h"

namespace rein {

struct Variant {
  std::string name;  // a test's name: letters, digits and _
  std::string spec;
  Shape shape;
  bool sparse = false;
  bool per_action = false;
};

// Three heads with ranges far from [-1, 1], or one head within it.
inline Shape shape_of(int actions, int context, int features, bool wide) {
  Shape shape{.actions = actions, .context = context, .features = features};
  if (wide) {
    shape.reward = {0.0, 10.0};
    shape.costs = {{.name = "spend", .range = {0.0, 500.0}},
                   {.name = "delay", .range = {-3.0, 1.0}}};
  }
  Rng rng(99);
  ListedFunctions::Weights weights(5);
  for (auto& function : weights) {
    for (int h = 0; h < shape.heads(); ++h) {
      const double scale = h == 0 ? 10.0 : h == 1 ? 500.0 : 3.0;
      std::vector<double> w;
      for (int j = 0; j <= features + context; ++j) w.push_back(scale * (rng.uniform() - 0.3));
      function.push_back(w);
    }
  }
  shape.functions = std::make_shared<ListedFunctions>(features, weights);
  weights.resize(1);
  shape.truth = std::make_shared<ListedFunctions>(features, weights);
  return shape;
}

// Small sizes for oracles that are large by default: contracts do not depend on size, and run
// faster.
inline std::string smaller(std::string_view oracle, const std::string& options) {
  const std::string more = oracle == "forest"   ? "nodes=31,trees=3,wait=8"
                           : oracle == "mlp"    ? "hidden=[8,5]"
                           : oracle == "kernel" ? "size=24"
                                                : "";
  if (more.empty() || options.find("size=") != std::string::npos) return options;
  return options.empty() ? "(" + more + ")" : "(" + more + "," + options.substr(1);
}

// Whether a variant forgets by itself: then nothing that it knows keeps, and nothing is certified.
inline bool forgets(const Variant& variant) {
  return variant.spec.find("memory=") != std::string::npos && !variant.spec.ends_with("auto)");
}

// An oracle that combines features is tried in every combination; any other only once.
inline std::vector<Variant> variants() {
  std::vector<Variant> all;
  const auto add = [&](std::string_view oracle, const std::string& options, const Shape& shape,
                       const std::string& what) {
    for (bool sparse : {false, true}) {
      if (sparse && shape.features == 0) continue;
      Variant v{.name = fmt::format("{}_{}{}", oracle, what, sparse ? "_sparse" : ""),
                .spec = fmt::format("{}{}", oracle, smaller(oracle, options)),
                .shape = shape,
                .sparse = sparse,
                .per_action = options.find("per_action") != std::string::npos};
      all.push_back(v);
    }
  };
  for (const Entry& entry : oracles()) {
    if (find_option(entry, "features") == nullptr) {
      add(entry.name, "", shape_of(5, 2, 3, true), "both");
      add(entry.name, "", shape_of(5, 0, 3, false), "features");
      if (entry.name == "stack") {
        add(entry.name, "(eta=auto,memory=9,of=[vaw,vaw(memory=7)])", shape_of(4, 2, 0, true),
            "memories");
      }
      if (entry.name == "auto") {
        add(entry.name, "", shape_of(5, 3, 0, true), "contexts");
        add(entry.name, "(of=[both,forest(nodes=15,trees=2)])", shape_of(4, 2, 0, true), "trees");
      }
      if (entry.name == "pair") {
        add(entry.name, "(cost=adagrad,reward=kernel(size=12))", shape_of(5, 2, 3, true), "two");
        add(entry.name, "(cost=vaw(reg=2),reward=optimistic)", shape_of(4, 0, 3, true),
            "optimistic");
        add(entry.name, "(cost=vaw(features=per_action),reward=forest(nodes=15,trees=2))",
            shape_of(4, 2, 0, true), "contexts");
      }
      continue;
    }
    add(entry.name, "", shape_of(7, 0, 11, false), "plain");
    add(entry.name, "(features=joint,bias=1)", shape_of(11, 0, 8, true), "bias");
    add(entry.name, "(features=joint)", shape_of(19, 3, 6, true), "joint");
    add(entry.name, "(features=product)", shape_of(9, 3, 4, true), "product");
    add(entry.name, "(features=product,bias=0)", shape_of(3, 2, 9, false), "product_without_bias");
    add(entry.name, "(features=per_action)", shape_of(6, 2, 3, true), "per_action");
    add(entry.name, "(features=per_action,bias=0)", shape_of(5, 9, 0, true), "contexts");
    add(entry.name, "", shape_of(4, 1, 0, false), "one_number");
    add(entry.name, "", shape_of(4, 0, 0, true), "nothing");  // a mean for every action
    add(entry.name, "", shape_of(1, 0, 1, false), "one_action");
    if (entry.name == "vaw" || entry.name == "ridge") {
      add(entry.name, "(features=both)", shape_of(6, 2, 3, true), "centre");
      add(entry.name, "(features=both,level=0)", shape_of(5, 4, 0, true), "slopes");
    }
    if (entry.name == "ridge") {
      add(entry.name, "(memory=12)", shape_of(19, 3, 6, true), "forgets");
      add(entry.name, "(features=per_action,memory=12)", shape_of(5, 3, 0, true), "forgets_sets");
      add(entry.name, "(features=per_action,memory=auto)", shape_of(5, 3, 0, true), "notices");
    }
    if (entry.name == "kernel") {
      add(entry.name, "(width=auto)", shape_of(5, 3, 0, true), "measured");
      add(entry.name, "(kind=dictionary,size=9)", shape_of(7, 2, 3, true), "dictionary");
      add(entry.name, "(kind=dictionary,features=per_action,size=20)", shape_of(5, 3, 0, true),
          "dictionaries_per_action");
    }
  }
  return all;
}

}  // namespace rein
