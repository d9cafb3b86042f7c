# Postrider as a service: compiled in one stage, run in another with its production dependencies only.
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
RUN npm ci --omit=dev && npm cache clean --force
COPY migrations ./migrations
COPY templates ./templates
COPY locales ./locales
COPY --from=build /app/dist ./dist
USER node
EXPOSE 3400
CMD ["node", "dist/doors/cli/main.js", "serve"]
