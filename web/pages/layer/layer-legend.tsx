import { useSignal } from '@preact/signals'
import { addressOf } from '../../lib/base.ts'
import { layerTexts } from '../../messages/layer/texts.ts'

/** Legend from the server; nothing if there is none. */
export function LayerLegend({ id, version }: { id: string; version: number }) {
  const texts = layerTexts.value
  const isNone = useSignal(false)
  if (isNone.value) return null
  return (
    <details class="lay-legend panel" open={innerWidth > 640}>
      <summary>{texts.legend}</summary>
      <section class="legend-picture" tabIndex={0} aria-label={texts.legend}>
        <img
          src={`${addressOf(`/tiles/${encodeURIComponent(id)}/legend.svg`)}?v=${version}`}
          alt={texts.legendOf}
          onError={() => {
            isNone.value = true
          }}
        />
      </section>
    </details>
  )
}
