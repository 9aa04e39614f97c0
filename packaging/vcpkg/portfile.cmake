# Not tried. Fill in SOURCE_URL and its SHA512 (vcpkg wants that one).
vcpkg_download_distfile(archive URLS "SOURCE_URL" FILENAME "asperity-${VERSION}.tar.gz" SHA512 SOURCE_SHA512)
vcpkg_extract_source_archive(source ARCHIVE "${archive}")
vcpkg_cmake_configure(SOURCE_PATH "${source}" OPTIONS -DASPERITY_TESTS=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/asperity)
vcpkg_fixup_pkgconfig()
vcpkg_copy_tools(TOOL_NAMES asperity AUTO_CLEAN)
vcpkg_install_copyright(FILE_LIST "${source}/LICENSE")
