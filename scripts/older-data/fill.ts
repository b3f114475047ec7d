// Run by `scripts/older-data.ts` with the sources of another commit: fills a data directory by that commit's own server.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fixedClock } from '../../tests/support/fixed-clock.ts'

const [tree = '', dataDir = '', databaseUrl = ''] = process.argv.slice(2)

interface Reply {
  statusCode: number
  body: string
}
interface Server {
  app: { inject(request: object): Promise<Reply> }
  monitoring?: { catchUp(): Promise<void> }
  close(): Promise<void>
}

/** Path of a source in the other commit: the first of its paths that exists there. */
function sourcePath(...paths: string[]): string {
  const found = paths.map((path) => join(tree, path)).find((path) => existsSync(path))
  if (found === undefined) throw new Error(`${tree} has none of ${paths.join(', ')}`)
  return found
}

const { createApp } = (await import(sourcePath('src/app/app.ts', 'src/app.ts'))) as {
  createApp(settings: unknown, options: object): Promise<Server>
}
const { loadSettings } = (await import(
  sourcePath('src/core/config/settings.ts', 'src/config/settings.ts')
)) as { loadSettings(environment: Record<string, string>): unknown }

const clock = fixedClock('2026-01-01T12:00:10.000Z')
mkdirSync(join(dataDir, 'incoming'), { recursive: true })
const server = await createApp(
  loadSettings({
    TERRANE_DATA: dataDir,
    TERRANE_PORT: '0',
    TERRANE_SAMPLE: 'off',
    TERRANE_MONITORING: 'on',
    TERRANE_LOG: 'silent',
    TERRANE_ADMIN_PASSWORD: 'older-admin-password',
    ...(databaseUrl === '' ? {} : { TERRANE_DATABASE_URL: databaseUrl }),
  }),
  { clock, notice: () => undefined },
)

const authorization = `Basic ${Buffer.from('admin:older-admin-password').toString('base64')}`

async function send(method: string, url: string, payload?: unknown): Promise<Record<string, never>> {
  const body = payload === undefined ? {} : { payload: JSON.stringify(payload) }
  const headers = { authorization, 'content-type': 'application/json' }
  const reply = await server.app.inject({ method, url, headers, ...body })
  if (reply.statusCode >= 300) throw new Error(`${method} ${url}: ${reply.statusCode} ${reply.body}`)
  return reply.body === '' ? {} : JSON.parse(reply.body)
}

const point = (name: string, at: number) => ({
  type: 'Feature',
  geometry: { type: 'Point', coordinates: [at, at / 2] },
  properties: { name, rank: at },
})
const towns = {
  type: 'FeatureCollection',
  features: ['one', 'two', 'three'].map((name, at) => point(name, at)),
}
writeFileSync(join(dataDir, 'incoming', 'towns.geojson'), JSON.stringify(towns))
writeFileSync(join(dataDir, 'incoming', 'dates.csv'), 'name,day\na,2026-01-01\nb,no date\nc,2026-01-03\n')

await send('POST', '/rest/security/users', {
  user: { name: 'reader', password: 'older-reader-password', role: 'user' },
})
const token = (await send('POST', '/rest/security/tokens', { token: { name: 'older' } })) as unknown
writeFileSync(join(dataDir, 'token.json'), JSON.stringify(token))
await send('POST', '/rest/workspaces', { workspace: { name: 'city', public: true } })
await send('POST', '/rest/styles', {
  style: { name: 'red', document: { version: 8, name: 'red', sources: {}, layers: [] } },
})
for (const [workspace, file] of [
  ['default', 'towns.geojson'],
  ['city', 'towns.geojson'],
]) {
  const targetWorkspace = { workspace: { name: workspace } }
  await send('POST', '/rest/imports?exec=true', { import: { targetWorkspace, data: { type: 'file', file } } })
}
await send('POST', '/rest/imports', { import: { data: { type: 'file', file: 'dates.csv' } } })
await send('PUT', '/rest/layers/default:towns', { layer: { title: 'Older towns', defaultStyle: 'red' } })
for (let count = 0; count < 7; count += 1) await send('GET', '/ogc/collections/default:towns/items')
clock.advance(180_000)
await server.monitoring?.catchUp()
await server.close()
