import { startPostgres } from '../../tests/support/postgres.ts'
import type { Difference } from './compare.ts'
import { differences } from './compare.ts'
import type { Description } from './every-operation.ts'
import { everyOperation } from './every-operation.ts'
import type { Step } from './request.ts'
import { ask } from './request.ts'
import { scenes } from './scenes.ts'
import type { Setting, TreeServer } from './tree-server.ts'
import { startTree } from './tree-server.ts'

const settings: Setting[] = [
  { dialect: 'contract', catalog: 'sqlite' },
  { dialect: 'geoserver', catalog: 'sqlite' },
  { dialect: 'contract', catalog: 'postgres' },
  { dialect: 'geoserver', catalog: 'postgres' },
]

/**
 * Plays every scene on two servers of `before` and one of `after`, in both dialects and with both catalogues.
 */
export async function replay(before: string, after: string, say: (line: string) => void): Promise<number> {
  const cluster = await startPostgres()
  let count = 0
  try {
    for (const setting of settings) {
      const trees = [before, before, after]
      const servers = await Promise.all(trees.map((tree) => startTree(tree, before, setting, cluster)))
      try {
        count += await play(servers, before, (line) => say(`${setting.dialect} ${setting.catalog}: ${line}`))
      } finally {
        await Promise.all(servers.map((server) => server.stop()))
      }
    }
  } finally {
    await cluster.stop()
  }
  return count
}

async function play(servers: TreeServer[], fixtures: string, say: (line: string) => void): Promise<number> {
  const { before, after } = scenes()
  const description = await ask(servers[0] as TreeServer, fixtures, { method: 'GET', path: '/openapi.json' })
  const steps = [...before, ...everyOperation(JSON.parse(description.body) as Description), ...after]
  let count = 0
  for (const step of steps) {
    const answers = await Promise.all(servers.map((server) => ask(server, fixtures, step)))
    const [old, again, now] = answers
    if (old === undefined || again === undefined || now === undefined) continue
    const found = differences(step, old, again, now)
    if (found.length > 0) say(toText(step, found))
    count += found.length
  }
  say(`${steps.length} requests, ${count} differences`)
  return count
}

function toText({ method, path, body, as }: Step, found: Difference[]): string {
  const what = typeof body === 'string' ? body : JSON.stringify(body ?? '')
  const lines = found
    .slice(0, 6)
    .map(({ place, before, after }) => `  ${place}: ${cut(before)} -> ${cut(after)}`)
  return [`${method} ${path} ${as ?? ''} ${cut(what)}`, ...lines].join('\n')
}

function cut(text: string): string {
  return text.length <= 160 ? text : `${text.slice(0, 160)}...`
}
