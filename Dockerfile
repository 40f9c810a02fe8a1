# An image with shardlint alone: docker build -t shardlint . && docker run --rm -v "$PWD:/work" shardlint check
# As the first stage of another image, /usr/bin/shardlint is all there is to copy.
FROM debian:12 AS build
COPY packaging/build-packages.txt /
RUN apt-get update && xargs apt-get install -y --no-install-recommends < /build-packages.txt && rm -rf /var/lib/apt/lists/*
COPY . /src
# As in a clone of pre-commit: the static program.
RUN /src/integrations/pre-commit/shardlint version

FROM debian:12-slim
# git tells --changed-since what changed; what is mounted here may belong to anybody.
RUN apt-get update && apt-get install -y --no-install-recommends git && rm -rf /var/lib/apt/lists/* && \
    git config --system --add safe.directory '*'
COPY --from=build /src/build/hook/shardlint-static /usr/bin/shardlint
WORKDIR /work
ENTRYPOINT ["shardlint"]
