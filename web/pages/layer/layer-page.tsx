import { useEffect, useMemo } from 'preact/hooks'
import { call, Refusal } from '../../api/client.ts'
import { Icon } from '../../components/icon.tsx'
import { Failed, Loading } from '../../components/states.tsx'
import { Resource } from '../../lib/resource.ts'
import { setQuery } from '../../lib/router.ts'
import { layerTexts } from '../../messages/layer/texts.ts'
import { isStaff, session } from '../../session/session.ts'
import { FedBy } from '../sources/fed-by.tsx'
import { About } from './about.tsx'
import { Compare } from './compare.tsx'
import { DownloadPanel } from './download/download-panel.tsx'
import { FilterPanel } from './filter/filter-panel.tsx'
import type { FilterColumn } from './filter/filter-text.ts'
import { useFiltered } from './filter/filtered-rows.ts'
import { requestedFilter } from './filter/requested-filter.ts'
import { LayerHead } from './layer-head.tsx'
import { LayerLegend } from './layer-legend.tsx'
import { LayerMap } from './layer-map.tsx'
import { LayerRows } from './layer-rows.tsx'
import { LayerUses } from './layer-uses.tsx'
import { layerView, lookedAt, requestedBox } from './layer-view.ts'
import { Sharing } from './sharing.tsx'
import { type Entry, type Layer, type LayerReply, layerPath, type Version } from './types.ts'
import { UseItIn } from './use-it-in.tsx'
import { Versions, versionsCall } from './versions.tsx'

/** `/app/layers/<workspace>:<name>`: a layer as its readers see it, and what can be done with it. */
export function LayerPage({ layer: id = '' }: Record<string, string>) {
  const about = useMemo(() => resourcesOf(id), [id])
  const reload = (): void => {
    for (const one of [about.layer, about.entry]) void one.load()
    if (session.peek() !== null) void about.versions.load()
  }
  useEffect(() => {
    reload()
    return () => {
      for (const one of [about.layer, about.entry, about.versions]) one.stop()
    }
  }, [about, session.value?.user])
  const { value, error } = about.layer.state.value
  if (error instanceof Refusal && error.code === 'unknown-layer' && about.versions.value !== undefined)
    return <Deleted id={id} about={about} onRestored={reload} />
  if (error !== undefined && value === undefined) return <Failed error={error} onAgain={reload} />
  if (value === undefined) return <Loading />
  return <Known id={id} layer={value.layer} about={about} reload={reload} />
}

type Resources = ReturnType<typeof resourcesOf>

function resourcesOf(id: string) {
  return {
    layer: new Resource<LayerReply>((aborted) => call({ path: layerPath(id) }, aborted)),
    entry: new Resource<Entry | undefined>((aborted) => entryOf(id, aborted)),
    versions: new Resource<{ versions: Version[] }>((aborted) => call(versionsCall(id), aborted)),
  }
}

/** Loads the catalogue's entry of the layer. */
async function entryOf(id: string, aborted: AbortSignal): Promise<Entry | undefined> {
  const colon = id.indexOf(':')
  const [workspace, name] = [id.slice(0, Math.max(0, colon)), id.slice(colon + 1)]
  const query = { q: name, limit: 100, workspace: workspace !== '' ? workspace : undefined }
  const { layers } = await call<{ layers: Entry[] }>({ path: '/rest/catalogue/layers', query }, aborted)
  return layers.find((one) => one.name === name && (workspace === '' || one.workspace === workspace))
}

interface KnownProps {
  id: string
  layer: Layer
  about: Resources
  reload(): void
}

function Known({ id, layer, about, reload }: KnownProps) {
  const view = useMemo(layerView, [id])
  const entry = about.entry.value
  const columns = layer.attributes.filter((one) => !isShape(one))
  const isOnMap = layer.type === 'RASTER' || columns.length < layer.attributes.length
  const bounds = entry?.bounds
  const filtered = useFiltered(id, requestedFilter(), lookedAt())
  return (
    <>
      <LayerHead id={id} layer={layer} entry={entry} onDeleted={reload} />
      <div class="stack">
        <InspectedTask />
        {isStaff.value && <FedBy layer={`${layer.workspace.name}:${layer.name}`} />}
        {layer.type === 'VECTOR' && (
          <FilterPanel columns={columns.flatMap(filterColumn)} filtered={filtered} />
        )}
        {isOnMap && layer.srs !== undefined ? (
          <div class="lay-map-box">
            <LayerMap
              key={layer.version}
              id={id}
              bounds={bounds}
              columns={layer.attributes.map(({ name }) => name)}
              view={view}
              filtered={filtered}
            />
            {lookedAt() === undefined && <LayerLegend id={id} version={layer.version} />}
          </div>
        ) : (
          <NoMap text={isOnMap ? layerTexts.value.noMapWithoutSrs : layerTexts.value.noMapOfTable} />
        )}
        {session.value && <Compare id={id} versions={about.versions.value?.versions ?? []} bounds={bounds} />}
        <div class="two">
          <div class="stack">
            <UseItIn layer={id} />
            <DownloadPanel
              id={id}
              isRaster={layer.type === 'RASTER'}
              srs={layer.srs}
              requested={{
                filter: requestedFilter(),
                bbox: isOnMap ? requestedBox()?.join(',') : undefined,
                version: lookedAt(),
              }}
            />
          </div>
          <div class="stack">
            <About id={id} layer={layer} onChanged={reload} />
            {session.value && (
              <Versions
                id={id}
                list={about.versions}
                isRaster={layer.type === 'RASTER'}
                onRestored={reload}
              />
            )}
            <Sharing id={id} layer={layer} entry={entry} onChanged={reload} />
            {isStaff.value && <LayerUses id={id} entry={entry} />}
          </div>
        </div>
        {layer.type === 'RASTER' ? (
          <NoTable />
        ) : (
          <LayerRows
            key={layer.version}
            id={id}
            names={columns.map(({ name }) => name)}
            numbers={new Set(columns.filter(isNumber).map(({ name }) => name))}
            sortable={new Set(columns.filter(({ binding }) => binding !== '[B').map(({ name }) => name))}
            isOnMap={isOnMap && layer.srs !== undefined}
            geometry={layer.attributes.find(isShape)?.name}
            view={view}
          />
        )}
      </div>
    </>
  )
}

function NoTable() {
  return (
    <p class="note">
      <Icon name="info" />
      <span>{layerTexts.value.noTableOfRaster}</span>
    </p>
  )
}

function NoMap({ text }: { text: string }) {
  return (
    <section class="panel state">
      <Icon name="table" />
      <p>{text}</p>
    </section>
  )
}

/** Notice that map and table show an earlier version. */
function InspectedTask() {
  const version = lookedAt()
  const texts = layerTexts.value
  if (version === undefined) return null
  return (
    <div class="note warn" role="status">
      <Icon name="history" />
      <div>
        {texts.looking(version)}{' '}
        <button type="button" class="btn sm" onClick={() => setQuery({ version: undefined })}>
          {texts.lookNoMore}
        </button>
      </div>
    </div>
  )
}

/** Replaces the page of a deleted layer that can be restored. */
function Deleted({ id, about, onRestored }: { id: string; about: Resources; onRestored(): void }) {
  const texts = layerTexts.value
  return (
    <div class="stack">
      <div class="head">
        <div>
          <h1 class="title" dir="auto">
            {id}
          </h1>
          <p class="dim">{texts.isDeleted}</p>
        </div>
      </div>
      <Versions id={id} list={about.versions} isGone onRestored={onRestored} />
    </div>
  )
}

type Attribute = Layer['attributes'][number]

function isShape({ binding }: Attribute): boolean {
  return binding.startsWith('org.locationtech.jts.')
}

/** Returns filter columns; columns other than numbers, texts, times and booleans are omitted. */
function filterColumn(column: Attribute): FilterColumn[] {
  const { name, binding } = column
  if (isNumber(column)) return [{ name, kind: 'number' }]
  if (/^java\.lang\.String$/.test(binding)) return [{ name, kind: 'text' }]
  if (/^java\.lang\.Boolean$/.test(binding)) return [{ name, kind: 'truth' }]
  return /^java\.sql\.(?:Date|Timestamp)$/.test(binding) ? [{ name, kind: 'time' }] : []
}

function isNumber({ binding }: Attribute): boolean {
  return /\.(?:Integer|Long|Short|Float|Double|BigDecimal|BigInteger)$/.test(binding)
}
