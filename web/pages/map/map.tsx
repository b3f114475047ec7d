import { query } from '../../lib/router.ts'
import { styleCall } from '../../map/combined-style.ts'
import { MapView } from '../../map/map-view.tsx'
import { messages } from '../../messages/messages.ts'
import { CopyAsCurl } from '../../parts/copy-as-curl.tsx'

/** `/app/map?layers=a:b,c:d`: layers over each other, the first lowest. */
export function MapPage() {
  const texts = messages.value.map
  const layers = (query.value.get('layers') ?? '').split(',').filter((one) => one !== '')
  return (
    <>
      <div class="head">
        <h1 dir="auto">{layers.length === 0 ? texts.title : layers.join(', ')}</h1>
        {layers.length > 0 && (
          <div class="acts">
            <CopyAsCurl call={styleCall(layers)} />
          </div>
        )}
      </div>
      <MapView label={texts.title} layers={layers} />
    </>
  )
}
