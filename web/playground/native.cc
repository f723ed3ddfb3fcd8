// The playground on this machine: its numbers as bits, for the test that compares them with those of a browser.
//
//     playground_native WORLD POLICIES SEED ROUNDS DELAY     policies with line breaks between them
//
// Ten lines, one after each tenth of the rounds: reward, spend and price of every policy, 16 hex digits each.
#include <bit>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

extern "C" {
int rein_begin(const char* world, const char* policies, int seed, int rounds, int delay);
const char* rein_why();
const double* rein_step(int rounds);
}

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  const int rounds = std::atoi(argv[4]);
  const int policies = rein_begin(argv[1], argv[2], std::atoi(argv[3]), rounds, std::atoi(argv[5]));
  if (policies < 0) {
    std::fprintf(stderr, "%s\n", rein_why());
    return 1;
  }
  for (int tenth = 0; tenth < 10; ++tenth) {
    const double* numbers = rein_step(rounds / 10);
    for (int i = 0; i < 3 * policies; ++i) {
      std::printf("%s%016" PRIx64, i == 0 ? "" : " ", std::bit_cast<std::uint64_t>(numbers[i]));
    }
    std::printf("\n");
  }
  return 0;
}
