import { useRef } from 'preact/hooks'
import { CopyAsCurl } from '../../components/copy-as-curl.tsx'
import { Empty, Loading } from '../../components/states.tsx'
import { query, setQuery } from '../../lib/router.ts'
import { styleCall } from '../../map/combined-style.ts'
import { mapTexts } from '../../messages/map/texts.ts'
import { AddLayer } from './add-layer.tsx'
import { LayerList } from './layer-list.tsx'
import { type MapLayer, type MapState, readMapState, writeMapState } from './map-state.ts'
import { ShareMap } from './share-map.tsx'
import { SharedMap } from './shared-map.tsx'
import { useLayers } from './use-layers.ts'

/**
 * `/app/map?layers=a:b,c:d`: several layers, the first at the bottom; the address contains the whole state.
 */
export function MapPage() {
  const texts = mapTexts.value
  const state = readMapState(query.value)
  const ids = state.layers.map(({ id }) => id)
  const { known } = useLayers(ids)
  // The first position is the initial view.
  const hasBegun = useRef(false)
  const change = (part: Partial<MapState>): void =>
    setQuery(writeMapState({ ...readMapState(query.peek()), ...part }))
  const setLayers = (layers: MapLayer[]): void => change({ layers })
  const titles = ids.map((id) => known?.published.find((one) => one.id === id)?.title ?? id)
  const title = titles.length === 0 ? texts.title : [...titles].reverse().join(', ')
  return (
    <>
      <div class="head">
        <div>
          <h1 class="title" dir="auto">
            {title}
          </h1>
        </div>
        {ids.length > 0 && (
          <div class="acts">
            <CopyAsCurl call={styleCall(ids)} />
          </div>
        )}
      </div>
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
            <Surroundings state={state} onChange={change} />
          </div>
        </section>
      </div>
      {ids.length > 0 && (
        <section class="panel map-share" aria-labelledby="map-share-title">
          <header>
            <h2 id="map-share-title">{texts.share}</h2>
          </header>
          <div class="body stack">
            <ShareMap state={state} title={title} />
          </div>
        </section>
      )}
    </>
  )
}

interface SurroundingsProps {
  state: MapState
  onChange(part: Partial<MapState>): void
}

/** Options besides the layers. */
function Surroundings({ state: { hasBackground, hasLegend }, onChange }: SurroundingsProps) {
  const texts = mapTexts.value
  return (
    <div class="stack s2">
      <label class="check">
        <input
          type="checkbox"
          checked={hasBackground}
          onChange={() => onChange({ hasBackground: !hasBackground })}
        />
        {texts.background}
      </label>
      <label class="check">
        <input type="checkbox" checked={hasLegend} onChange={() => onChange({ hasLegend: !hasLegend })} />
        {texts.legend}
      </label>
    </div>
  )
}
