import { useEffect, useMemo, useRef } from 'preact/hooks'
import { CopyAsCurl } from '../../components/copy-as-curl.tsx'
import { Icon } from '../../components/icon.tsx'
import { Empty, Failed, Loading } from '../../components/states.tsx'
import { rememberMap } from '../../lib/last-map.ts'
import { query, setQuery } from '../../lib/router.ts'
import { AddLayer } from '../../map/add-layer.tsx'
import { styleCall } from '../../map/combined-style.ts'
import { type MapLayer, type MapState, readMapState, writeMapState } from '../../map/map-state.ts'
import { mapTexts } from '../../messages/map/texts.ts'
import { LayerList } from './layer-list.tsx'
import { SaveMap } from './save-map.tsx'
import { extrasOf, type LoadedMap, stateOf, useSavedMap } from './saved-map.ts'
import { ShareMap } from './share-map.tsx'
import { SharedMap } from './shared-map.tsx'
import { type KnownLayers, useLayers } from './use-layers.ts'

const change = (part: Partial<MapState>): void =>
  setQuery(writeMapState({ ...readMapState(query.peek()), ...part }))

/**
 * `/app/map?layers=a:b,c:d`: several layers, the first at the bottom; the address contains the whole state.
 * `/app/map?map=name` opens a saved map.
 */
export function MapPage() {
  const name = query.value.get('map')
  const { loaded, error, again } = useSavedMap(name)
  const isOpened = name !== null && !query.value.has('layers')
  useEffect(() => {
    if (loaded !== undefined && !query.peek().has('layers')) setQuery(writeMapState(stateOf(loaded.map)))
  }, [loaded, isOpened])
  if (error !== undefined) return <Failed error={error} onAgain={again} />
  const isEmpty = loaded?.map.layers.length === 0
  if (name !== null && (loaded === undefined || (isOpened && !isEmpty))) return <Loading />
  return <OpenMap key={name} loaded={loaded} onSaved={again} />
}

interface OpenMapProps {
  /** The saved map that is shown, as it was saved. */
  loaded: LoadedMap | undefined
  onSaved(): void
}

function OpenMap({ loaded, onSaved }: OpenMapProps) {
  const texts = mapTexts.value
  const state = readMapState(query.value)
  const extras = useMemo(() => extrasOf(loaded?.map), [loaded])
  const ids = state.layers.map(({ id }) => id)
  const { known } = useLayers(ids, extras)
  useEffect(() => rememberMap(query.value.toString()), [query.value])
  const titles = ids.map((id) => known?.published.find((one) => one.id === id)?.title ?? id)
  const together = titles.length === 0 ? texts.newMap : [...titles].reverse().join(', ')
  const title = loaded?.map.title ?? together
  return (
    <>
      <div class="head">
        <div>
          <h1 class="title" dir="auto">
            {title}
          </h1>
          {loaded !== undefined && loaded.map.omittedLayers > 0 && (
            <p class="row small dim">
              <Icon name="info" />
              {texts.omitted(loaded.map.omittedLayers)}
            </p>
          )}
        </div>
        {ids.length > 0 && (
          <div class="acts">
            <CopyAsCurl call={styleCall(ids)} />
            <SaveMap state={state} extras={extras} loaded={loaded} title={title} onSaved={onSaved} />
          </div>
        )}
      </div>
      <Workplace state={state} known={known} />
      {ids.length > 0 && (
        <section class="panel map-share" aria-labelledby="map-share-title">
          <header>
            <h2 id="map-share-title">{texts.share}</h2>
          </header>
          <div class="body stack">
            <ShareMap state={state} title={title} name={loaded?.map.name} />
          </div>
        </section>
      )}
    </>
  )
}

/** The map, and beside it its layers. */
function Workplace({ state, known }: { state: MapState; known: KnownLayers | undefined }) {
  const texts = mapTexts.value
  // The first position is the initial view.
  const hasBegun = useRef(false)
  const ids = state.layers.map(({ id }) => id)
  const setLayers = (layers: MapLayer[]): void => change({ layers })
  return (
    <div class="lay map-page">
      <div class="panel lay-map">
        {known === undefined ? (
          <Loading />
        ) : (
          <SharedMap
            label={texts.title}
            state={state}
            published={known.published}
            onView={(view) => {
              if (hasBegun.current) change({ view })
              hasBegun.current = true
            }}
          />
        )}
      </div>
      <section class="panel" aria-labelledby="map-layers-title">
        <header>
          <h2 id="map-layers-title">{texts.layers}</h2>
        </header>
        <div class="body stack">
          {ids.length === 0 && (
            <Empty title={texts.none}>
              <p>{texts.noneHint}</p>
            </Empty>
          )}
          {known !== undefined && <LayerList state={state} known={known} onChange={setLayers} />}
          <AddLayer
            taken={ids}
            onAdd={(id) => setLayers([...state.layers, { id, isHidden: false, opacity: 1 }])}
          />
          <Surroundings state={state} />
        </div>
      </section>
    </div>
  )
}

/** Options besides the layers. */
function Surroundings({ state: { hasBackground, hasLegend } }: { state: MapState }) {
  const texts = mapTexts.value
  return (
    <div class="stack s2">
      <label class="check">
        <input
          type="checkbox"
          checked={hasBackground}
          onChange={() => change({ hasBackground: !hasBackground })}
        />
        {texts.background}
      </label>
      <label class="check">
        <input type="checkbox" checked={hasLegend} onChange={() => change({ hasLegend: !hasLegend })} />
        {texts.legend}
      </label>
    </div>
  )
}
