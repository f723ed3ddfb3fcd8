// Everything a caller needs, in one include.
#pragma once

#include "rein/catalog.h"
#include "rein/engine.h"
#include "rein/policy.h"
#include "rein/world.h"
