import { basename, extname } from 'node:path'
import { readImport, readTasks } from '../src/cli/import-views.ts'
import type { RestClient } from '../src/cli/rest-client.ts'
import type { LoadCase, Target } from './cases.ts'

const store = 'bench'

/** Creates the target store of the loads. */
export async function createStore(client: RestClient, target: Target, databaseUrl: URL): Promise<void> {
  const parameters = {
    host: databaseUrl.hostname,
    port: databaseUrl.port,
    database: databaseUrl.pathname.slice(1),
    schema: 'public',
    user: databaseUrl.username,
    passwd: databaseUrl.password,
  }
  const connectionParameters = target === 'PostGIS' ? parameters : {}
  await client.post('/rest/workspaces/default/datastores', {
    dataStore: { name: store, type: target, connectionParameters },
  })
}

/** Loads one file and removes the layer again. Returns the seconds from the first request to COMPLETE. */
export async function timeLoad(client: RestClient, one: LoadCase, file: string): Promise<number> {
  const start = performance.now()
  const created = await client.post('/rest/imports', {
    import: {
      targetStore: { dataStore: { name: store } },
      data: { type: 'file', file },
      ...(one.transforms.length === 0 ? {} : { transforms: one.transforms }),
    },
  })
  const path = `/rest/imports/${readImport(created).id}`
  if (one.kind === 'csv') await client.put(`${path}/tasks/0/layer`, { layer: { srs: 'EPSG:4326' } })
  await client.post(path)
  const seconds = (performance.now() - start) / 1000
  const { state, message = '' } = readImport(await client.get(path))
  const [task] = readTasks(await client.get(`${path}/tasks?expand=1`))
  if (state !== 'COMPLETE') throw new Error(`${one.name}: ${state} ${message} ${task?.errorMessage ?? ''}`)
  const layer = task?.layer ?? basename(file, extname(file))
  await client.delete(`/rest/layers/default:${encodeURIComponent(layer)}?recurse=true`)
  return seconds
}
