import { useEffect, useMemo } from 'preact/hooks'
import { addressOf } from '../../lib/base.ts'
import { Resource } from '../../lib/resource.ts'
import { layerTexts } from '../../messages/layer/texts.ts'
import { messages } from '../../messages/messages.ts'
import { CopyAsCurl } from '../../parts/copy-as-curl.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Failed, Loading } from '../../parts/states.tsx'
import { call } from '../../wire/client.ts'
import { LayerMap } from './layer-map.tsx'
import { LayerRows } from './layer-rows.tsx'
import { layerView } from './layer-view.ts'
import { UseItIn } from './use-it-in.tsx'
import { Versions } from './versions.tsx'
import type { LayerReply } from './wire.ts'

interface Attribute {
  name: string
  binding: string
}

function isShape({ binding }: Attribute): boolean {
  return binding.startsWith('org.locationtech.jts.')
}

function isNumber({ binding }: Attribute): boolean {
  return /\.(?:Integer|Long|Short|Float|Double|BigDecimal|BigInteger)$/.test(binding)
}

/** `/app/layers/<workspace>:<name>`: a layer as its readers see it, and what can be done with it. */
export function LayerPage({ layer = '' }: Record<string, string>) {
  const id = encodeURIComponent(layer)
  const facts = useMemo(
    () => new Resource<LayerReply>((aborted) => call({ path: `/rest/layers/${id}` }, aborted)),
    [id],
  )
  const view = useMemo(layerView, [id])
  const reload = (): void => void facts.load()
  useEffect(() => {
    reload()
    return () => facts.stop()
  }, [facts])
  const { value, error } = facts.state.value
  if (error !== undefined) return <Failed error={error} onAgain={reload} />
  if (value === undefined) return <Loading />
  const { title, name, abstract, srs, attributes, bbox } = value.layer
  const names = attributes.filter((one) => !isShape(one)).map((one) => one.name)
  const numbers = new Set(attributes.filter(isNumber).map((one) => one.name))
  const isOnMap = attributes.some(isShape)
  const isGeographic = bbox !== undefined && Math.abs(bbox.minx) <= 180 && Math.abs(bbox.maxy) <= 90
  const bounds = isGeographic ? [bbox.minx, bbox.miny, bbox.maxx, bbox.maxy] : undefined
  return (
    <>
      <div class="head">
        <div>
          <p class="crumb">
            <a href={addressOf('/')}>{messages.value.nav.catalogue}</a>
            <Icon name="right" />
            <span class="mono" dir="auto">
              {layer}
            </span>
          </p>
          <h1 class="title" dir="auto">
            {title ?? name}
          </h1>
          {abstract !== undefined && <p dir="auto">{abstract}</p>}
          <p class="dim mono">{srs}</p>
        </div>
        <div class="acts">
          <CopyAsCurl call={{ path: `/rest/layers/${layer}` }} />
          <a class="btn" href={addressOf(`/app/layers/${id}/style`)}>
            <Icon name="pencil" />
            {layerTexts.value.style}
          </a>
        </div>
      </div>
      <div class="stack">
        <LayerMap id={layer} bounds={bounds} view={view} />
        <div class="two">
          <Versions id={id} onRestored={reload} />
          <UseItIn layer={layer} />
        </div>
        <LayerRows id={layer} names={names} numbers={numbers} isOnMap={isOnMap} view={view} />
      </div>
    </>
  )
}
