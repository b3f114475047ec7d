import { useEffect, useMemo } from 'preact/hooks'
import { type Call, call } from '../../../api/client.ts'
import { Resource } from '../../../lib/resource.ts'
import type { StoreKind } from '../types.ts'

/** A layer that a load would go into. */
export interface LayerThere {
  rows?: number
  dateModified: string
  srs?: string
  attributes: { name: string }[]
}

/** Returns the existing layer with that name and its rows; undefined if there is none, and while loading. */
export function useLayerThere(workspace: string, name: string | undefined): LayerThere | undefined {
  const isNamed = name !== undefined && name !== ''
  const path = `/rest/layers/${encodeURIComponent(`${workspace}:${name ?? ''}`)}`
  // Requests nothing for a missing layer.
  const list = `/rest/catalogue/layers?${new URLSearchParams({ workspace, q: name ?? '', limit: '500' })}`
  const listed = useAnswer<{ layers: { workspace: string; name: string }[] }>(isNamed ? list : undefined)
  const isThere = listed?.layers.some((one) => one.workspace === workspace && one.name === name) === true
  const layer = useAnswer<{ layer: LayerThere }>(isThere ? path : undefined)?.layer
  const versions = useAnswer<{ versions: { rows: number | null }[] }>(
    layer === undefined ? undefined : `${path}/versions`,
  )?.versions
  const rows = versions?.[0]?.rows ?? undefined
  return layer && { ...layer, rows: rows ?? layer.rows }
}

export function useWorkspaces(): string[] {
  const found = useAnswer<{ workspaces: { workspace?: { name: string }[] } }>('/rest/workspaces')
  return found?.workspaces.workspace?.map(({ name }) => name) ?? []
}

interface StoreList {
  dataStores?: { dataStore?: { name: string }[] }
  coverageStores?: { coverageStore?: { name: string }[] }
}

export function useStores(workspace: string | undefined, kind: StoreKind | undefined): string[] {
  const list = kind === 'coverageStore' ? 'coveragestores' : 'datastores'
  const found = useAnswer<StoreList>(
    workspace === undefined ? undefined : `/rest/workspaces/${encodeURIComponent(workspace)}/${list}`,
  )
  const stores = found?.dataStores?.dataStore ?? found?.coverageStores?.coverageStore ?? []
  return stores.map(({ name }) => name)
}

interface StyleList {
  styles: { style?: { name: string }[] }
}

/** Styles that a layer of a workspace may have: its own, and those of all. */
export function useStyles(workspace: string | undefined): string[] {
  const shared = useAnswer<StyleList>('/rest/styles')
  const own = useAnswer<StyleList>(
    workspace === undefined ? undefined : `/rest/workspaces/${encodeURIComponent(workspace)}/styles`,
  )
  const names = [own, shared].flatMap((list) => list?.styles.style?.map(({ name }) => name) ?? [])
  return [...new Set(names)]
}

/** Returns the server's response; an error yields no choices. */
function useAnswer<T>(path: string | undefined): T | undefined {
  const answer = useMemo(
    () =>
      new Resource<T | undefined>(async (signal) => {
        const requested: Call | undefined = path === undefined ? undefined : { path }
        return requested === undefined ? undefined : call<T>(requested, signal)
      }),
    [path],
  )
  useEffect(() => {
    void answer.load()
    return () => answer.stop()
  }, [answer])
  return answer.value
}
