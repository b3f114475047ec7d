import { UsageError } from '../options.ts'
import { listOf, readField, readString } from '../rest-client.ts'
import type { Action } from './run-kind.ts'
import { givenOptions, readManaged } from './run-kind.ts'
import { findStore, readStoreName } from './stores.ts'

/** Paths and member names below a store of each kind. */
const published = {
  dataStore: { list: 'featuretypes', item: 'featureType', contents: 'tables' },
  coverageStore: { list: 'coverages', item: 'coverage', contents: 'rasters' },
} as const

/** `terrane layers publish NAME --store STORE`: a table or raster, or all of the store. */
export const publish: Action = {
  words: ['NAME'],
  hasOptionalWord: true,
  options: ['workspace', 'store', 'all', 'include', 'exclude', 'name', 'title', 'abstract', 'srs', 'managed'],
  run: async (context, [table]) => {
    const { client, values } = context
    const { store, all, include, exclude, name, title, abstract, srs } = values
    if (store === undefined) throw new UsageError('`terrane layers publish` needs --store NAME')
    if ((table === undefined) !== (all === true))
      throw new UsageError('`terrane layers publish` needs either the NAME of a table or raster, or --all')
    const storeName = await readStoreName(context, store)
    const { path, kind } = await findStore(client, storeName)
    const { list, item, contents } = published[kind.item]
    const managed = readManaged(values)
    if (managed !== undefined && kind.item === 'coverageStore')
      throw new UsageError(
        '--managed is for tables: Terrane never changes a raster that is published in place',
      )
    if (table === undefined) {
      if (name !== undefined || title !== undefined || abstract !== undefined || srs !== undefined)
        throw new UsageError(
          '--name, --title, --abstract and --srs are for one table or raster, not for --all',
        )
      const response = await client.post(`${path}/${contents}`, {
        publish: givenOptions({ include, exclude, managed }),
      })
      const failed = listOf(response, 'failed')
      const lines = [
        ...listOf(response, 'published').map(
          (layer) => `Layer ${storeName.workspace}:${readString(layer, 'name')} is published`,
        ),
        ...failed.map((one) => `${readString(one, 'table')} is not: ${readString(one, 'reason')}`),
      ]
      return { json: response, text: lines.join('\n'), isFailed: failed.length > 0 }
    }
    if (include !== undefined || exclude !== undefined)
      throw new UsageError('--include and --exclude belong to --all')
    const body = givenOptions({ nativeName: table, name, title, abstract, srs, managed })
    const response = await client.post(`${path}/${list}`, { [item]: body })
    const layer = readString(readField(response, item), 'name')
    return { json: response, text: `Layer ${storeName.workspace}:${layer} is published` }
  },
}
