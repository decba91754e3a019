# Evaluates a formula as Homebrew does, without it: ruby formula.rb FORMULA SYSTEM PROCESSOR FOLDER
# pours FOLDER, an unpacked archive, and prints what the formula says and what it installed.
require "fileutils"
require "json"
require "pathname"
require "tmpdir"

path, SYSTEM, PROCESSOR, archive = ARGV
BIN = Pathname.new(Dir.mktmpdir)

class Pathname
  def install(name)
    FileUtils.cp name, self
  end

  def install_symlink(links)
    links.each { |from, to| File.symlink from, self/to }
  end
end

class Formula
  SAID = {}
  %w[desc homepage version license url sha256].each do |word|
    define_singleton_method(word) { |text| SAID[word] = text }
  end
  %w[macos linux].each do |word|
    define_singleton_method("on_#{word}") { |&block| block.call if word == SYSTEM }
  end
  %w[intel arm].each do |word|
    define_singleton_method("on_#{word}") { |&block| block.call if word == PROCESSOR }
  end

  def self.test(&block)
    define_method(:run_test, &block)
  end

  def version = SAID["version"]
  def bin = BIN
  def shell_output(command) = `#{command}`

  def generate_completions_from_executable(program, *arguments)
    SAID["completions"] = %w[bash zsh fish].map { |shell| IO.popen([program.to_s, *arguments, shell], &:read) }
  end

  def assert_match(text, output)
    raise "#{output} has no #{text}" unless output.include? text
  end
end

load path
formula = Credence.new
Dir.chdir(archive) { formula.install }
formula.run_test
Formula::SAID["bin"] = BIN.children.map { |f| f.basename.to_s }.sort
Formula::SAID["versions"] = BIN.children.sort.map { |f| `#{f} --version` }
FileUtils.rm_r BIN
puts JSON.generate(Formula::SAID)
