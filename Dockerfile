# A small image of the orthant command, linked with OpenBLAS. The shell and ps are for workflow
# engines, which run scripts in it and look at their processes.
#   docker build -t orthant .
#   docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/data" -w /data orthant embed --help
FROM golang:1.26-bookworm AS build
RUN apt-get update \
 && apt-get install -y --no-install-recommends libopenblas-dev liblapacke-dev \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=unknown
RUN make build-openblas VERSION=$VERSION

FROM debian:bookworm-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends libopenblas0-pthread liblapacke procps \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /src/bin/orthant-openblas /usr/local/bin/orthant
COPY LICENSE /usr/share/doc/orthant/LICENSE
USER 65534
ENTRYPOINT ["orthant"]
CMD ["--help"]
