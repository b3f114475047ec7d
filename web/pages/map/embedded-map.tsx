import { Icon } from '../../components/icon.tsx'
import { Failed, Loading, reasonOf } from '../../components/states.tsx'
import { query } from '../../lib/router.ts'
import { type LayerExtras, type MapState, pageAddress, readMapState } from '../../map/map-state.ts'
import { mapTexts } from '../../messages/map/texts.ts'
import { LegendPicture } from './layer-list.tsx'
import { extrasOf, stateOf, useSavedMap } from './saved-map.ts'
import { SharedMap } from './shared-map.tsx'
import { useLayers } from './use-layers.ts'

const none: ReadonlyMap<string, LayerExtras> = new Map()

/**
 * `/embed/map?layers=…` and `/embed/map?map=name`: the same map for pages of others, which may frame it; without
 * anything that changes it.
 */
export function EmbeddedMap() {
  const name = query.value.get('map')
  const { loaded, error, again } = useSavedMap(name)
  if (error !== undefined) return <Failed error={error} onAgain={again} />
  if (name === null) return <Embedded state={readMapState(query.value)} extras={none} name={undefined} />
  if (loaded === undefined) return <Loading />
  return <Embedded state={stateOf(loaded.map)} extras={extrasOf(loaded.map)} name={name} />
}

interface EmbeddedProps {
  state: MapState
  extras: ReadonlyMap<string, LayerExtras>
  /** Name of a saved map. */
  name: string | undefined
}

function Embedded({ state, extras, name }: EmbeddedProps) {
  const texts = mapTexts.value
  const { known } = useLayers(
    state.layers.map(({ id }) => id),
    extras,
  )
  if (known === undefined) return <Loading />
  const legends = state.layers.flatMap(({ id, isHidden }) => {
    const found = known.published.find((one) => one.id === id)
    return found === undefined || isHidden ? [] : [found]
  })
  return (
    <div class="embedded">
      <h1 class="vh">{texts.title}</h1>
      <SharedMap label={texts.title} state={state} published={known.published} />
      {known.failed.size > 0 && (
        <div class="embedded-failed note bad" role="alert">
          {[...known.failed].map(([id, reason]) => (
            <p key={id} dir="auto">
              {reasonOf(reason)}
            </p>
          ))}
        </div>
      )}
      {state.hasLegend && legends.length > 0 && (
        <details class="embedded-legend panel">
          <summary>{texts.legend}</summary>
          {legends.reverse().map(({ id, title }) => (
            <LegendPicture key={id} id={id} title={title} />
          ))}
        </details>
      )}
      <a class="embedded-open" href={pageAddress(state, name)} target="_blank" rel="noopener">
        <Icon name="expand" />
        {texts.open}
      </a>
    </div>
  )
}
