# What `sam build` runs for a function: see Metadata in template.yaml. GOARCH
# comes from the Makefile that includes this; the working directory is the
# repository's root.
#
# CGO_ENABLED=0 links statically, so the binary does not depend on the C library
# of the machine that built it; lambda.norpc leaves out the protocol of the old
# go1.x runtime, and with it net/rpc. GOWORK=off builds what go.mod says, whatever
# workspace the repository is part of.
#
# Go 1.27 has encoding/json on the implementation of encoding/json/v2, which reads
# and writes payloads in two thirds of the time; Go 1.26 has it as an experiment
# of this name, which other versions are not told of. Histories of either replay
# with the other.
experiment := $(if $(filter go1.26 go1.26.%,$(shell go env GOVERSION)),GOEXPERIMENT=jsonv2)
build = $(experiment) GOWORK=off CGO_ENABLED=0 GOOS=linux GOARCH=$(GOARCH) go build -trimpath -tags lambda.norpc -ldflags "-s -w" -o "$(ARTIFACTS_DIR)/bootstrap"

.PHONY: build-OrchestratorFunction build-ActivityFunction build-QueryFunction

build-OrchestratorFunction:
	$(build) ./lambdas/orchestrator

build-ActivityFunction:
	$(build) ./lambdas/activity

build-QueryFunction:
	$(build) ./lambdas/query

# The functions of named activity queues run the same program.
build-%Function:
	$(build) ./lambdas/activity
