import type { Environment } from '../options.ts'
import { listOf } from '../rest-client.ts'
import { listText } from '../text-table.ts'
import type { Action } from './run-kind.ts'
import { runKind } from './run-kind.ts'

const list: Action = {
  words: [],
  options: [],
  run: async ({ client }) => {
    const nodes = listOf(await client.get('/rest/nodes'), 'nodes')
    const columns = ['host', 'pid', 'version', 'roles', 'started', 'seen', 'alive', 'current']
    return { answer: { nodes }, text: listText('servers', columns, nodes) }
  },
}

/** `terrane nodes`: the servers that share the catalogue. */
export function runNodes(args: string[], env: Environment): Promise<number> {
  return runKind({ command: 'nodes', actions: { list } }, args, env)
}
