import type { ExpressionSpecification, LayerSpecification, Map as MapLibreMap } from 'maplibre-gl'

/**
 * Colours by an object's property `change`. Changes are also marked by a symbol and hatching, not by colour
 * alone.
 */
const colours = { added: '#0072b2', changed: '#e69f00', removed: '#d55e00' }
const signs = { added: '+', changed: '~', removed: '−' }
const changes = ['added', 'changed', 'removed'] as const

/** Returns the colour of changed objects, and the given one for others. */
export function colourOf(other: string): ExpressionSpecification {
  return [
    'match',
    ['get', 'change'],
    ...changes.flatMap((change) => [change, colours[change]]),
    other,
  ] as unknown as ExpressionSpecification
}

/** Hatching of removed features. */
export function hatchingLayer(source: string): LayerSpecification {
  return {
    id: `${source}-hatching`,
    type: 'fill',
    source,
    filter: ['all', ['==', ['geometry-type'], 'Polygon'], ['==', ['get', 'change'], 'removed']],
    paint: { 'fill-pattern': 'change-hatching' },
  }
}

/** A sign on each that changed. */
export function signsLayer(source: string): LayerSpecification {
  return {
    id: `${source}-signs`,
    type: 'symbol',
    source,
    filter: ['has', 'change'],
    layout: { 'icon-image': ['concat', 'change-', ['get', 'change']], 'icon-allow-overlap': true },
  }
}

const signPixels = 36
const hatchPixels = 16

/** Draws the marks when the map requests them. */
export function giveMarks(map: MapLibreMap): void {
  map.setMissingStyleImageResolver((id) => {
    if (map.hasImage(id)) return
    const change = changes.find((one) => id === `change-${one}`)
    const image = change !== undefined ? signOf(change) : id === 'change-hatching' ? hatching() : undefined
    if (image !== undefined) map.addImage(id, image, { pixelRatio: 2 })
  })
}

function signOf(change: (typeof changes)[number]): ImageData | undefined {
  return drawing(signPixels, (context) => {
    const middle = signPixels / 2
    context.beginPath()
    context.arc(middle, middle, middle - 2, 0, 2 * Math.PI)
    context.fillStyle = '#ffffff'
    context.fill()
    context.lineWidth = 3
    context.strokeStyle = colours[change]
    context.stroke()
    context.fillStyle = '#15201e'
    context.font = '600 28px sans-serif'
    context.textAlign = 'center'
    context.textBaseline = 'middle'
    context.fillText(signs[change], middle, middle + 1)
  })
}

function hatching(): ImageData | undefined {
  return drawing(hatchPixels, (context) => {
    context.strokeStyle = colours.removed
    context.lineWidth = 3
    for (const from of [-hatchPixels, 0, hatchPixels]) {
      context.beginPath()
      context.moveTo(from, hatchPixels)
      context.lineTo(from + hatchPixels, 0)
      context.stroke()
    }
  })
}

function drawing(pixels: number, draw: (context: CanvasRenderingContext2D) => void): ImageData | undefined {
  const canvas = document.createElement('canvas')
  canvas.width = pixels
  canvas.height = pixels
  const context = canvas.getContext('2d')
  if (context === null) return undefined
  draw(context)
  return context.getImageData(0, 0, pixels, pixels)
}
