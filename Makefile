# Plumbline. `make run` and `make test`, each alone, do everything on a bare Debian 12.
# What they need is listed in tools/*.txt and installed by tools/setup; how it is built is in
# CMakePresets.json. `make help` tells the rest.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --no-builtin-rules --no-print-directory
.NOTPARALLEL:
.ONESHELL:
.SECONDARY:

TORCH_DEFAULT := 2.15.0
TORCH_VERSION ?= $(TORCH_DEFAULT)

# Another torch gets folders of its own: .venv-2.11.0, build/release-2.11.0.
ifneq ($(TORCH_VERSION),$(TORCH_DEFAULT))
ifeq ($(PLUMB_TORCH_DIR),)
PLUMB_BUILD_SUFFIX := -$(TORCH_VERSION)
endif
endif
export TORCH_VERSION PLUMB_TORCH_DIR PLUMB_BUILD_SUFFIX

JOBS ?= $(shell nproc)
export CMAKE_BUILD_PARALLEL_LEVEL := $(JOBS)
export CTEST_PARALLEL_LEVEL := $(JOBS)

SUFFIX := $(PLUMB_BUILD_SUFFIX)
ENV := build/env$(SUFFIX)
PROGRAM := build/release$(SUFFIX)/plumb
OUT ?= out

# Words of the second column of tools/debian-packages.txt.
NEEDS := build $(if $(filter test check-format format,$(MAKECMDGOALS)),test) $(if $(filter tidy,$(MAKECMDGOALS)),tidy)
sources = $(wildcard $(shell git ls-files $(1) '*.cpp' '*.hpp' '*.h' '*.cu' '*.cuh'))

say = printf '%-10s %s\n'
# Said where nothing is built yet. The compilers' work is known; it is shared by JOBS of them.
first = $(if $(wildcard build/$(1)$(SUFFIX)/.ninja_log),,, the first time about $(MINUTES) minutes; later only what changed)
MINUTES = $(shell echo $$((20 / $(JOBS) + 1)))
# The lock: two compilers that write one precompiled header at once crash.
build = $(say) Building '$(1)$(if $(2), ($(2)))$(call first,$(1))'; source $(ENV); \
  flock build/$(1)$(SUFFIX)/build.lock cmake --build --preset $(1) $(if $(2),--target $(2))

.DEFAULT_GOAL := help
.PHONY: help run test test-release test-asan check-format format tidy bench clean distclean FORCE

help:  ## this list
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 22
	echo
	echo '  TORCH_VERSION=2.11.0   build against another torch, in folders of its own'
	echo '  PLUMB_TORCH_DIR=DIR    use an installed torch: …/site-packages/torch'
	echo '  ARGS="NAME-GLOB ..."   arguments of plumb run, for make run'
	echo '  JOBS=N                 compilers and tests at a time; default: one per core'

run: build/release$(SUFFIX)/build.ninja  ## set up, build, judge every scenario, write out/report.html
	@$(call build,release,plumb)
	source $(ENV); result=0
	$(say) Judging '$(if $(ARGS),what ARGS select,every scenario, a minute or so)'
	# A case that is slow because the machine is busy is no finding.
	$(PROGRAM) run --timeout 300s --out $(OUT) $(ARGS) || result=$$?
	# Only where results were judged is there a report of this run.
	case $$result in
	  0) meaning='every result is ok' ;;
	  1) meaning='a result is not ok' ;;
	  77) meaning='everything selected was skipped' ;;
	  2) meaning='bad usage or input, said above; no report is written' ;;
	  *) meaning='the program could not run, as said above; no report is written' ;;
	esac
	case $$result in 0|1|77) $(say) Report 'file://$(abspath $(OUT)/report.html)' ;; esac
	if [ $$result != 0 ]; then $(say) 'Exit code' "$$result: $$meaning"; fi
	exit $$result

test: check-format test-release test-asan  ## set up, build, all tests; harness tests again under ASan and UBSan

test-release: build/release$(SUFFIX)/build.ninja
	@$(call build,release)
	$(say) Testing release; source $(ENV); ctest --preset release

test-asan: build/asan$(SUFFIX)/build.ninja
	@$(call build,asan,harness_tests)
	$(say) Testing 'asan (AddressSanitizer and UndefinedBehaviorSanitizer)'; source $(ENV); ctest --preset asan

check-format: $(ENV)
	@$(say) Format '$(words $(call sources)) tracked files'
	if ! printf '%s\n' $(call sources) | xargs -r clang-format --dry-run --Werror; then
	  $(say) Stopped 'some files are not as clang-format writes them; `make format` repairs that.' >&2
	  exit 1
	fi

format: $(ENV)  ## clang-format every source file, new ones too
	@printf '%s\n' $(call sources,--cached --others --exclude-standard) | xargs -r clang-format -i

tidy: build/tidy$(SUFFIX)/build.ninja  ## clang-tidy on every file, about 30 s each
	@$(call build,tidy)

bench: build/release$(SUFFIX)/build.ninja  ## run the programs in bench/
	@$(call build,release)
	source $(ENV); for program in build/release$(SUFFIX)/bench/*_bench; do $$program; done

clean:  ## remove what was built and the reports; keeps .venv
	@rm -rf build $(OUT)

distclean: clean  ## remove .venv too
	@rm -rf .venv .venv-*

# Runs each time (some 50 ms when all is there) and touches the file only when it changes.
$(ENV): FORCE
	@tools/setup $@ $(NEEDS)

# ninja configures again by itself when a CMakeLists.txt changes; here, when the tools or presets do.
# A cache made for another torch or another checkout is thrown away.
build/%$(SUFFIX)/build.ninja: $(ENV) CMakePresets.json
	@$(say) Configure '$*'; source $(ENV); mkdir -p $(@D)
	fresh=
	grep -qsx "PLUMB_TORCH_DIR:[A-Z]*=$$PLUMB_TORCH_DIR" $(@D)/CMakeCache.txt &&
	grep -qsx 'CMAKE_HOME_DIRECTORY:INTERNAL=$(CURDIR)' $(@D)/CMakeCache.txt || fresh=--fresh
	cmake --preset $* $$fresh >$(@D)/configure.log 2>&1 || { cat $(@D)/configure.log >&2; exit 1; }
	touch $@
