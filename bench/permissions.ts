import { performance } from 'node:perf_hooks'
import type { Caller } from '../src/access/index.ts'
import { Permissions } from '../src/access/index.ts'
import type { TestApp } from '../tests/support/app.ts'
import { basicAuth, createTestApp } from '../tests/support/app.ts'
import { fillCatalogue } from './many-layers.ts'
import { quantile } from './quantile.ts'

// Decisions with 500 permissions, and lists of 10,000 layers with and without them: `node bench/permissions.ts
// [postgres://...]`. Both users may read every layer, so that their lists are equal. Their requests alternate.

const layers = 10_000
const permissions = 500
const decisions = 1_000_000
const rounds = 200
const password = 'long-enough-password'

const queries = {
  'first page': '',
  'a word typed': 'q=road+north',
  'from the middle': 'offset=3000&limit=200',
}

/** `many` has 499 permissions of layers and one of the workspace; `one` has one of everything. */
async function createUsers(server: TestApp): Promise<void> {
  for (const name of ['one', 'many']) await server.accounts.users.create({ name, password })
  const subject = { kind: 'user', name: 'many' } as const
  const ofLayers = Array.from({ length: permissions - 1 }, (_, at) => ({
    subject,
    workspace: 'default',
    layer: `layer_${at * 20}`,
    actions: ['download'] as const,
  }))
  const create = [
    ...ofLayers,
    { subject, workspace: 'default', layer: undefined, actions: ['read'] as const },
    {
      subject: { kind: 'user', name: 'one' } as const,
      workspace: undefined,
      layer: undefined,
      actions: ['read'] as const,
    },
  ]
  await new Permissions(server).apply({ create })
}

async function measureDecisions(server: TestApp): Promise<void> {
  const caller: Caller = { name: 'many', role: 'user', by: 'session' }
  const resources = Array.from({ length: 1000 }, (_, at) => ({ workspace: 'default', name: `layer_${at}` }))
  let allowed = 0
  const begun = performance.now()
  for (let at = 0; at < decisions; at += 1) {
    const found = server.rules.now()
    const rules = found instanceof Promise ? await found : found
    const resource = resources[at % resources.length]
    if (resource !== undefined && rules.can(caller, 'read', resource)) allowed += 1
  }
  const each = ((performance.now() - begun) * 1e6) / decisions
  process.stdout.write(`${'one decision'.padEnd(28)} ${each.toFixed(0)} ns (${allowed} allowed)\n`)
}

async function measureLists(server: TestApp): Promise<void> {
  for (const [what, query] of Object.entries(queries)) {
    const times: Record<'one' | 'many', number[]> = { one: [], many: [] }
    for (let round = 0; round <= rounds; round += 1)
      for (const user of ['one', 'many'] as const) {
        const begun = performance.now()
        const url = `/rest/catalogue/layers?${query}`
        const reply = await server.app.inject({ url, headers: basicAuth(user, password) })
        if (reply.statusCode !== 200) throw new Error(reply.body)
        // The first request of each compiles and caches.
        if (round > 0) times[user].push(performance.now() - begun)
      }
    const [without, with_] = [quantile(times.one, 0.5), quantile(times.many, 0.5)]
    const share = ((with_ / without - 1) * 100).toFixed(1)
    process.stdout.write(
      `${what.padEnd(28)} p50 ${without.toFixed(2)} ms, with ${permissions} permissions ${with_.toFixed(2)} ms (${share} %)\n`,
    )
  }
}

const [url] = process.argv.slice(2)
const server = await createTestApp({
  env: { TERRANE_DEFAULT_READ: 'granted', ...(url === undefined ? {} : { TERRANE_DATABASE_URL: url }) },
})
try {
  await fillCatalogue(server, layers)
  await createUsers(server)
  await measureDecisions(server)
  await measureLists(server)
} finally {
  await server.close()
}
