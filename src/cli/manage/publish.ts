import { UsageError } from '../options.ts'
import { listOf, readField, readString } from '../rest-client.ts'
import type { Action } from './run-kind.ts'
import { givenOptions, readManaged } from './run-kind.ts'
import { placeOf } from './stores.ts'
import { workspacePath } from './workspaces.ts'

/** `terrane layers publish TABLE --store NAME`, or all tables of the store. */
export const publish: Action = {
  words: ['TABLE'],
  hasOptionalWord: true,
  options: ['workspace', 'store', 'all', 'include', 'exclude', 'name', 'title', 'abstract', 'srs', 'managed'],
  run: async (context, [table]) => {
    const { client, values } = context
    const { store, all, include, exclude, name, title, abstract, srs } = values
    if (store === undefined) throw new UsageError('`terrane layers publish` needs --store NAME')
    if ((table === undefined) !== (all === true))
      throw new UsageError('`terrane layers publish` needs either TABLE or --all')
    const place = await placeOf(context, store)
    const path = `${workspacePath(place.workspace)}/datastores/${encodeURIComponent(place.name)}`
    const managed = readManaged(values)
    if (table === undefined) {
      if (name !== undefined || title !== undefined || abstract !== undefined || srs !== undefined)
        throw new UsageError('--name, --title, --abstract and --srs are for one table, not for --all')
      const answer = await client.post(`${path}/tables`, {
        publish: givenOptions({ include, exclude, managed }),
      })
      const failed = listOf(answer, 'failed')
      const lines = [
        ...listOf(answer, 'published').map(
          (layer) => `Layer ${place.workspace}:${readString(layer, 'name')} is published`,
        ),
        ...failed.map((one) => `Table ${readString(one, 'table')} is not: ${readString(one, 'reason')}`),
      ]
      return { answer, text: lines.join('\n'), isFailed: failed.length > 0 }
    }
    if (include !== undefined || exclude !== undefined)
      throw new UsageError('--include and --exclude belong to --all')
    const featureType = givenOptions({ nativeName: table, name, title, abstract, srs, managed })
    const answer = await client.post(`${path}/featuretypes`, { featureType })
    const layer = readString(readField(answer, 'featureType'), 'name')
    return { answer, text: `Layer ${place.workspace}:${layer} is published` }
  },
}
