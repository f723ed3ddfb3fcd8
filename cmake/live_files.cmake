# The parts of the live page, in the order in which they are joined. Needs what web_files.cmake needs.
include(${CMAKE_CURRENT_LIST_DIR}/web_files.cmake)
set(LIVE_TEMPLATE ${ROOT}/web/live/page.html)
web_files(LIVE_STYLES css common/base common/charts live/page live/budgets live/tables)
web_files(LIVE_SCRIPTS js common/numbers common/elements common/series common/frame live/words live/fields
          live/events live/stream live/token live/connection live/summary live/tiles live/budgets
          live/axis live/history live/charts live/reasons live/decisions live/search live/keys live/windows live/model live/all live/main)
