import { Icon } from '../../components/icon.tsx'
import { Loading, reasonOf } from '../../components/states.tsx'
import { query } from '../../lib/router.ts'
import { mapTexts } from '../../messages/map/texts.ts'
import { LegendPicture } from './layer-list.tsx'
import { pageAddress, readMapState } from './map-state.ts'
import { SharedMap } from './shared-map.tsx'
import { useLayers } from './use-layers.ts'

/** `/embed/map?layers=…`: the same map for pages of others, which may frame it; without anything that changes it. */
export function EmbeddedMap() {
  const texts = mapTexts.value
  const state = readMapState(query.value)
  const { known } = useLayers(state.layers.map(({ id }) => id))
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
      <a class="embedded-open" href={pageAddress(state)} target="_blank" rel="noopener">
        <Icon name="expand" />
        {texts.open}
      </a>
    </div>
  )
}
