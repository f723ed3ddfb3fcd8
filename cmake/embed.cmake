# rein_embed(TARGET NAME FILE): compiles the text of FILE into TARGET, as
#     namespace rein { extern const std::string_view NAME; }
# (bytes, not a literal: compilers need not take a very long one).
function(rein_embed target name file)
  set(source ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  set(made ${CMAKE_CURRENT_BINARY_DIR}/${name}.cc)
  add_custom_command(OUTPUT ${made}
    COMMAND ${CMAKE_COMMAND} -DNAME=${name} -DSOURCE=${source} -DMADE=${made}
            -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/embed_file.cmake
    DEPENDS ${source} ${CMAKE_CURRENT_SOURCE_DIR}/cmake/embed_file.cmake
    COMMENT "Embedding ${file}" VERBATIM)
  target_sources(${target} PRIVATE ${made})
endfunction()
