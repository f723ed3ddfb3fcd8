// mlp: a small neural network with a parallel linear path, trained by online gradient descent: one
// step per round, no epochs, no memory of rounds. All heads share the hidden layers.
//
//     z    = phi scaled by the running size of every coordinate, clamped to [-4, 4]
//     h_1  = act(W_1 (z, 1)),  h_i = act(W_i (h_{i-1}, 1)),  p = W (h_last, z, 1)
//     g    = gradient of sum over heads of (p - y)^2, p clipped to the range of its head
//     G_w += g_w^2,  w <- clamp(w - rate_w g_w / sqrt(G_w), -16, 16)     for every weight
//
// with rate_w = rate / sqrt(inputs of its layer) and G_w = kFirstSquare at first. The step of a
// weight is never longer than its rate, and weights are clamped. So no input and no order of rounds
// can make it diverge, though it may learn poorly. Output weights start at 0: the first prediction
// is 0. Hidden weights are normal with variance 2 / inputs (He, Zhang, Ren, Sun 2015), drawn from
// `seed`. Steps as in AdaGrad (Duchi, Hazan, Singer 2011).
//
// There is no certificate: gradient descent on a network may get stuck anywhere. bound() is W^2 T,
// which no prediction in range can exceed. regret() is the loss itself, which is at least the
// regret against any function. It is certain, but larger by the noise. No widths.
#pragma once

#include <vector>

#include "base/aligned.h"
#include "base/size.h"
#include "estimate/feature_map.h"
#include "estimate/heads.h"
#include "rein/oracle.h"

namespace rein {

class Mlp final : public Oracle {
 public:
  static Result<std::unique_ptr<Oracle>> make(const Spec& spec, const Shape& shape);

  void predict(const Round& round, Scratch& scratch, Estimates& estimates) const override;
  std::size_t scratch() const override { return values_ + as_size(map_.size()); }
  void learn(const Round& round, int action, std::span<const double> outcomes) override;
  double bound(std::int64_t rounds) const override;
  double regret() const override;
  void save(ByteWriter& out) const override;
  Result<> load(ByteReader& in) override;

 private:
  struct Options {
    std::vector<int> hidden;  // units of each hidden layer
    double rate;
    bool tanh;
    std::uint64_t seed;
  };
  // A matrix of `out` rows with `in` numbers each; the last number is for the constant 1.
  struct Layer {
    int in;
    int out;
    std::size_t weights;  // index of its first weight
    std::size_t input;    // index of its input among the values of a network
    std::size_t output;
    double rate;
  };
  Mlp(const FeatureMap& map, const Shape& shape, const Options& options);

  // Number of weights of a network of these sizes.
  static std::size_t weights_of(const std::vector<int>& hidden, int inputs, int heads);
  static Options options_of(SpecReader& read);
  std::vector<Known> known() const;  // sizes that saved weights must match
  void start(std::uint64_t seed);
  double activate(double x) const;
  // The slope of act at x, given act(x).
  double slope(double activated) const;
  void scale(int set, std::span<const double> phi, double* z) const;
  void grow_scale(int set, std::span<const double> phi);
  // Runs the network of a set. `values` holds z before the call and all layers after it.
  void forward(int set, double* values, std::span<double> out) const;
  void backward(int set, const double* values, std::span<double> slopes);

  FeatureMap map_;
  Heads heads_;
  Options options_;
  std::vector<Layer> layers_;
  std::size_t values_ = 0;      // numbers of one run: hidden layers, z, and constants
  std::size_t z_ = 0;           // index of z among them
  std::size_t set_size_ = 0;    // weights per set
  AlignedDoubles weights_;      // sets x set_size
  AlignedDoubles squares_;      // G, the same
  std::vector<double> sizes_;   // sets x d: running mean of x^2 over nonzero x
  std::vector<double> counts_;  // sets x d: number of nonzero x
  std::vector<double> loss_;    // sum of (p - y)^2 in units, one per head
  std::vector<double> work_;
};

}  // namespace rein
