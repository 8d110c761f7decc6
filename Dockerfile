# syntax=docker/dockerfile:1
FROM node:24-bookworm-slim AS web
WORKDIR /web
COPY web .
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund && npm run bundle

FROM rust:1.95-bookworm AS build
WORKDIR /src
COPY . .
COPY --from=web /web/dist /web
# The container gets its database from DATABASE_URL: no PostgreSQL of its own is built in.
# C code with the time of its compilation (mimalloc) gets that of SOURCE_DATE_EPOCH.
RUN SOURCE_DATE_EPOCH=0 YANIV_WEB_DIST=/web cargo build --profile dist --locked --package yaniv --no-default-features --features otlp,web

FROM debian:bookworm-slim
# Notifications are sent over TLS: without these certificates the service sends none.
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
# Not by useradd, which writes the date.
RUN echo 'yaniv:x:10001:10001::/nonexistent:/usr/sbin/nologin' >>/etc/passwd && echo 'yaniv:x:10001:' >>/etc/group
# What the program consists of, for scanners.
COPY deploy/sbom.cdx.json /usr/share/doc/yaniv/sbom.cdx.json
COPY --from=build /src/target/dist/yaniv /usr/local/bin/yaniv
USER 10001:10001
ENV YANIV_LISTEN=0.0.0.0:8080 YANIV_LOG_FORMAT=json
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s CMD ["yaniv", "health"]
ENTRYPOINT ["yaniv"]
CMD ["serve"]
