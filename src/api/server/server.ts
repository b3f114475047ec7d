import { randomUUID } from 'node:crypto'
import type { FastifyPluginAsync, RawServerDefault } from 'fastify'
import { fastify, LogController } from 'fastify'
import { type AccessRules, type Accounts, anonymous } from '../../access/index.ts'
import type { MonitoringSettings } from '../../core/config/monitoring-settings.ts'
import type { ServerSettings, Settings } from '../../core/config/settings.ts'
import type { Failure } from '../../core/errors/errors.ts'
import type { IdempotencyKeys } from '../../core/idempotency/idempotency-keys.ts'
import type { Logger } from '../../core/log/logger.ts'
import type { ApiArea, App, FastifyRequest, TypeBoxProvider } from '../app-types.ts'
import type { ProblemWriter } from '../errors.ts'
import { answerFailures, problemWriter, toHttpProblem, unknownParameters } from '../errors.ts'
import { envelopeWriter, isMonitoringPath } from '../rest/monitoring/envelope.ts'
import { keepAddressesPrivate } from './address-caching.ts'
import { limitAddresses } from './address-limits.ts'
import type { RequestAudit } from './audit-requests.ts'
import { auditRequests } from './audit-requests.ts'
import type { GuardCatalog } from './authorize.ts'
import { guardOrigins } from './browser-safety.ts'
import { compressAnswers } from './compress.ts'
import { connectionOptions, limitStalledAnswers, usualConnectionTimes } from './connection-times.ts'
import { guardRoutes } from './guard.ts'
import { accountReader } from './header-account.ts'
import { HeavyWork, limitHeavyWork } from './heavy-work.ts'
import { repeatAnswers } from './idempotency.ts'
import { identifyCallers } from './identify-caller.ts'
import { ignoredHeader, unknownKeys } from './ignored.ts'
import { acceptJson, maxJsonBytes } from './json-body.ts'
import { absoluteLink, isHostFromClient } from './links.ts'
import type { Observers } from './observe-requests.ts'
import { observeRequests } from './observe-requests.ts'
import { describeApi } from './openapi.ts'
import { queuePipelinedRequests } from './pipelined-requests.ts'
import { rewriteUrl } from './rewrite-url.ts'
import { addSecurityHeaders, refuseRepeatedHost } from './security-headers.ts'
import { seeAsOthers } from './see-as.ts'
import { keepAnswers } from './stored-responses.ts'
import { limitBodyTimes } from './time-limits.ts'
import { traceRequests } from './trace-requests.ts'
import { answerUnknownPaths } from './unknown-paths.ts'
import { compileValidator } from './validation.ts'
import { refuseWithoutServing } from './work-only.ts'

/** Address of a client that was gone before the server accepted its connection. */
const unknownAddress = 'unknown'

/**
 * Reads the address of each client when its connection is accepted. Node caches the address; the system
 * forgets it when the client resets the connection.
 */
function keepClientAddresses(app: App): void {
  app.server.on('connection', (socket) => {
    if (socket.remoteAddress === undefined)
      Object.defineProperty(socket, 'remoteAddress', { value: unknownAddress })
  })
}

export interface ServerDeps {
  settings: Settings
  version: string
  accounts: Pick<Accounts, 'authenticate' | 'users' | 'groups'>
  catalog: GuardCatalog
  rules: Pick<AccessRules, 'now'>
  keys: IdempotencyKeys
  /** Returns advice for an error of a lower layer; undefined if the caller can do nothing. */
  explainError(error: unknown): Failure | undefined
  observers: Omit<Observers, 'callerOf'>
  /** Records changes and sign-ins. */
  audit: RequestAudit
}

/** Builds the HTTP server with its areas; not listening yet. */
export async function createHttpServer(deps: ServerDeps, areas: readonly ApiArea[]): Promise<App> {
  const { settings, observers } = deps
  const { server } = settings
  const writeFailure = failureWriter(settings.server, settings.monitoring)
  const observe: { unseen?: ReturnType<typeof observeRequests> } = {}
  const app = fastify({
    bodyLimit: maxJsonBytes,
    logController: new LogController({ disableRequestLogging: true }),
    exposeHeadRoutes: true,
    forceCloseConnections: 'idle',
    frameworkErrors: (error, request, reply) => {
      observe.unseen?.(request, reply)
      writeFailure(toHttpProblem(error, request), reply)
    },
    genReqId: () => randomUUID(),
    loggerInstance: observers.log,
    ...connectionOptions(usualConnectionTimes),
    return503OnClosing: true,
    rewriteUrl: (request) => rewriteUrl(request.method ?? 'GET', request.url ?? '/', server.basePath),
    routerOptions: { caseSensitive: true, maxParamLength: 2000 },
    trustProxy: server.trustedProxies.length === 0 ? false : server.trustedProxies,
  }).withTypeProvider<TypeBoxProvider>()
  app.decorate('dialect', server.dialect)
  app.decorate('basePath', server.basePath)
  app.decorate('requestMs', server.requestSeconds * 1000)
  app.decorate('explainError', deps.explainError)
  app.setValidatorCompiler(compileValidator)
  app.setSerializerCompiler(() => (value) => JSON.stringify(value))
  queuePipelinedRequests(app, settings.connections)
  if (settings.telemetry !== undefined) traceRequests(app)
  describeRequests(app, server)
  keepClientAddresses(app)
  const readAccount = accountReader(settings.access.header, server.trustedProxies)
  const identification = identifyCallers(app, deps.accounts, readAccount)
  observe.unseen = observeRequests(app, { ...observers, ...identification })
  answerFailures(app, writeFailure)
  answerUnknownPaths(app, server.basePath)
  addSecurityHeaders(app)
  refuseWithoutServing(app, settings.roles)
  refuseRepeatedHost(app)
  limitAddresses(app, settings.connections)
  guardOrigins(app, server)
  const heavyWork = new HeavyWork(settings.connections.work, observers)
  const seeAs = seeAsOthers(app, deps.accounts)
  guardRoutes(app, deps, identification.identify, { meter: heavyWork, seeAs })
  limitHeavyWork(app, heavyWork)
  auditRequests(app, deps.audit)
  acceptJson(app)
  limitBodyTimes(app)
  limitStalledAnswers(app, usualConnectionTimes)
  nameIgnoredKeys(app)
  repeatAnswers(app, deps.keys)
  keepAnswers(app)
  keepAddressesPrivate(app)
  compressAnswers(app)
  await describeApi(app, server, deps.version)
  for (const area of areas) await app.register(toPlugin(area))
  await app.ready()
  return app
}

/** Errors of unknown paths and methods below `/monitoring` use monitoring's format; others RFC 9457. */
function failureWriter(server: ServerSettings, monitoring: MonitoringSettings): ProblemWriter {
  const write = problemWriter(server.dialect)
  if (!monitoring.isOn) return write
  const writeEnvelope = envelopeWriter(server.dialect)
  return (problem, reply) => (isMonitoringPath(reply.request.url) ? writeEnvelope : write)(problem, reply)
}

type AreaPlugin = FastifyPluginAsync<Record<never, never>, RawServerDefault, TypeBoxProvider, Logger>

function toPlugin(area: ApiArea): AreaPlugin {
  return async (scope) => area(scope)
}

/** Adds to requests the properties that handlers use. */
function describeRequests(app: App, server: ServerSettings): void {
  app.decorateRequest('caller')
  app.addHook('onRequest', (request, _reply, done) => {
    request.caller = anonymous
    done()
  })
  app.decorateRequest('namesClientHost')
  app.decorateRequest('link', function link(path: string) {
    this.namesClientHost ??= isHostFromClient(this, server)
    return absoluteLink(this, server, path)
  })
  const ignored = new WeakMap<object, Set<string>>()
  app.decorateRequest('reportIgnored', function reportIgnored(names: Iterable<string>) {
    for (const name of names) {
      const known = ignored.get(this) ?? new Set<string>()
      ignored.set(this, known.add(name))
    }
  })
  app.addHook('onSend', (request, reply, _payload, done) => {
    const names = ignored.get(request)
    if (names !== undefined) reply.header('terrane-ignored', ignoredHeader(names))
    done()
  })
}

function isStandardPath(url: string): boolean {
  return /^\/(?:ogc|stac)(?=[/?]|$)/.test(url)
}

const noParameters = { type: 'object', properties: {} }

/** Lists keys that the route's schemas do not define in `Terrane-Ignored`. */
function nameIgnoredKeys(app: App): void {
  app.addHook('preHandler', (request, _reply, done) => {
    if (!request.is404) nameIgnored(request)
    done()
  })
}

function nameIgnored(request: FastifyRequest): void {
  const { schema, config } = request.routeOptions
  const unknown = unknownKeys(schema?.querystring ?? noParameters, request.query)
  const isForHandler = config.knowsParameters === true
  if (unknown.length > 0 && isStandardPath(request.url) && !isForHandler) throw unknownParameters(unknown)
  if (!isForHandler) request.reportIgnored(unknown)
  if (schema?.body !== undefined) request.reportIgnored(unknownKeys(schema.body, request.body))
}
