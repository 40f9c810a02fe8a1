# An image with shardlint alone: docker build -t shardlint . && docker run --rm -v "$PWD:/work" shardlint check
# As the first stage of another image, /usr/bin/shardlint is all there is to copy.
FROM debian:12 AS build
COPY packaging/build-packages.txt /
RUN apt-get update && xargs apt-get install -y --no-install-recommends < /build-packages.txt && rm -rf /var/lib/apt/lists/*
COPY . /src
RUN cmake -S /src -B /build -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE="-O2 -DNDEBUG" -DSHARDLINT_CXX=OFF \
    -DSHARDLINT_TESTS=OFF && cmake --build /build --target shardlint-static

FROM debian:12-slim
RUN apt-get update && apt-get install -y --no-install-recommends git && rm -rf /var/lib/apt/lists/*
COPY --from=build /build/shardlint-static /usr/bin/shardlint
WORKDIR /work
ENTRYPOINT ["shardlint"]
