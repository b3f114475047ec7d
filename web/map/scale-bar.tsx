import { messages } from '../messages/messages.ts'

const equatorMetres = 40_075_016.686
const tilePixels = 512
const maxPixels = 92

/** Center and zoom of a map. */
export interface MapPosition {
  latitude: number
  zoom: number
}

/** Scale bar with a round number of metres. */
export function ScaleBar({ latitude, zoom }: MapPosition) {
  const metresOfPixel = (equatorMetres * Math.cos((latitude * Math.PI) / 180)) / (tilePixels * 2 ** zoom)
  const metres = roundBelow(metresOfPixel * maxPixels)
  const isLong = metres >= 1000
  const text = new Intl.NumberFormat(messages.value.locale, {
    style: 'unit',
    unit: isLong ? 'kilometer' : 'meter',
  }).format(isLong ? metres / 1000 : metres)
  return (
    <div class="scale">
      <i style={{ width: `${metres / metresOfPixel}px` }} />
      {text}
    </div>
  )
}

/** The largest of 1, 2, 5, 10, 20, ... that is not larger. */
function roundBelow(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  const step = [5, 2, 1].find((one) => one * power <= value) ?? 1
  return step * power
}
