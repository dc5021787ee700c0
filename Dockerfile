# An image of the service: `docker build -t daybook .`. docs/deployment.md says how to run it.
FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
# On Node 24 no package needs its install script: what is compiled comes in the packages.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build && npm prune --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:24-bookworm-slim
WORKDIR /opt/daybook
COPY --from=build /build/package.json ./
COPY --from=build /build/node_modules ./node_modules
COPY --from=build /build/dist ./dist
# Only there, and in /tmp, is anything written: the rest may be read-only.
RUN install -d -o node -g node -m 0700 /var/lib/daybook /var/lib/daybook-blobs
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 METRICS_HOST=0.0.0.0 DATA_DIR=/var/lib/daybook
USER node
VOLUME /var/lib/daybook
EXPOSE 8080 9464
STOPSIGNAL SIGTERM
# Alive, not ready: a container that waits for its store must not be restarted for that.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/live`).then(({ok}) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "dist/service/main.js"]
CMD ["serve"]
