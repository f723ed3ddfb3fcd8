// Writes the files of the live page into a folder: live_files FOLDER. Prints path, type and name of
// each, and the content policy first, so that a test can serve them as the service does.
#include <fstream>
#include <iostream>
#include <string>

#include "serve/page.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::cout << rein::serve::kPagePolicy << '\n';
  int number = 0;
  for (const rein::serve::Asset& asset : rein::serve::live_assets()) {
    const std::string name = "asset_" + std::to_string(number++);
    std::ofstream(std::string(argv[1]) + "/" + name, std::ios::binary) << asset.body;
    std::cout << asset.path << '\t' << asset.type << '\t' << name << '\n';
  }
  return std::cout ? 0 : 1;
}
