import { loadSettings } from '../../core/config/settings.ts'
import type { Environment } from '../options.ts'
import { readFlags, refuseMoreWords } from '../options.ts'
import { listOf } from '../rest-client.ts'
import { listText } from '../text-table.ts'
import type { Action } from './run-kind.ts'
import { runKind } from './run-kind.ts'

const list: Action = {
  words: [],
  options: [],
  run: async ({ client }) => {
    const nodes = listOf(await client.get('/rest/nodes'), 'nodes')
    const columns = ['host', 'pid', 'version', 'roles', 'started', 'seen', 'alive', 'current', 'problems']
    return { json: { nodes }, text: listText('servers', columns, nodes) }
  },
}

/** `terrane nodes`: the servers that share the catalogue; `adopt-files` changes it while none of them runs. */
export async function runNodes(args: string[], env: Environment): Promise<number> {
  if (args[0] === 'adopt-files') return adoptDataDirectory(args.slice(1), env)
  return runKind({ command: 'nodes', actions: { list } }, args, env)
}

async function adoptDataDirectory(args: string[], env: Environment): Promise<number> {
  refuseMoreWords('nodes adopt-files', readFlags('nodes', args, {}).positionals, 0)
  const { data, files, databaseUrl } = loadSettings({ TERRANE_LOG: 'warn', ...env })
  const { adoptFilesOf } = await import('../../app/offline-commands.ts')
  await adoptFilesOf(data, files, databaseUrl)
  const { s3 } = files
  const place = s3 === undefined ? data.directory : `s3://${s3.bucket}/${s3.prefix}`
  process.stdout.write(`The files in ${place} are those of the catalogue from now on.\n`)
  return 0
}
