# Postrider as a service: compiled in one stage, run in another as an ordinary user, with what it needs at run time and
# the clients of brokers, SES and traces, which are loaded when a setting asks for them. The health check is for
# roles that have the API; a process without it switches it off (--no-healthcheck).
FROM node:20-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci
COPY tsconfig.json tsconfig.build.json ./
COPY src ./src
COPY dashboard ./dashboard
COPY scripts ./scripts
RUN npm run build

FROM node:20-slim
ENV NODE_ENV=production
WORKDIR /app
COPY package.json package-lock.json ./
# npm leaves out what package.json names as an optional peer or for development, also when it is asked for by name: so
# those lists go first, and the last line makes the build fail where a client is missing.
RUN npm ci --omit=dev \
  && npm pkg delete devDependencies peerDependencies peerDependenciesMeta \
  && npm install --no-save --no-package-lock \
    "@aws-sdk/client-sesv2@^3.980.0" "@opentelemetry/api@^1.9.0" "bullmq@^6.3.3" "ioredis@^6.0.0" \
    "rabbitmq-client@~5.0.8" \
  && npm cache clean --force \
  && for client in @aws-sdk/client-sesv2 @opentelemetry/api bullmq ioredis rabbitmq-client; do \
    node -e "import('$client')" || exit 1; done
COPY migrations ./migrations
COPY templates ./templates
COPY locales ./locales
COPY --from=build /app/dist ./dist
USER node
EXPOSE 3400
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 3400) + '/health/live').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
CMD ["node", "dist/doors/cli/main.js", "serve"]
