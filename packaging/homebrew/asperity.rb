# Not tried: nothing was built on macOS yet. Fill in SOURCE_URL and SOURCE_SHA256.
class Asperity < Formula
  desc "Multibody dynamics with unilateral contact and exact Coulomb friction"
  url "SOURCE_URL"
  version "0.1.0"
  sha256 "SOURCE_SHA256"
  license "Apache-2.0"

  depends_on "cmake" => :build
  depends_on "ninja" => :build
  depends_on "pkg-config" => :build
  depends_on "cjson"
  depends_on "hdf5"
  depends_on "suite-sparse"
  depends_on "sundials"

  def install
    system "cmake", "-S", ".", "-B", "build", "-G", "Ninja", "-DASPERITY_TESTS=OFF", *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    system bin/"asperity", "validate", "--quiet", pkgshare/"scenes/sphere-slides-then-rolls.json"
  end
end
