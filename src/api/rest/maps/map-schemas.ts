import type { Static } from 'typebox'
import { Type } from 'typebox'
import type { MapLayer, MapValues, SavedMap } from '../../../catalog/index.ts'
import { invalid } from '../../../core/errors/errors.ts'
import type { FastifyRequest } from '../../app-types.ts'

const maxLayers = 100

const LayerOfMap = Type.Object({
  name: Type.String({ maxLength: 300, description: '`<workspace>:<name>`' }),
  style: Type.Optional(Type.String({ maxLength: 200, description: "Default: the layer's own style" })),
  opacity: Type.Optional(Type.Number({ minimum: 0, maximum: 1, default: 1 })),
  visible: Type.Optional(Type.Boolean({ default: true })),
  filter: Type.Optional(
    Type.String({ maxLength: 10_000, description: 'In CQL2 text. Default: all features' }),
  ),
  group: Type.Optional(Type.String({ maxLength: 200, description: 'Heading under which it is listed' })),
})

const MapView = Type.Object(
  {
    center: Type.Array(Type.Number({ minimum: -540, maximum: 540 }), {
      minItems: 2,
      maxItems: 2,
      description: 'Longitude and latitude, in degrees (WGS 84)',
    }),
    zoom: Type.Number({ minimum: 0, maximum: 24, description: 'Zoom of tiles of 512 pixels' }),
  },
  { description: 'Absent: the extent of its layers' },
)

const content = {
  title: Type.Optional(Type.String({ maxLength: 200, description: 'Default: the name' })),
  layers: Type.Optional(
    Type.Array(LayerOfMap, {
      maxItems: maxLayers,
      description: 'Layers from bottom to top; each layer once',
    }),
  ),
  view: Type.Optional(MapView),
  background: Type.Optional(Type.Boolean({ description: 'Shows the base map; default true' })),
  legend: Type.Optional(Type.Boolean({ description: 'Shows legends; default true' })),
  public: Type.Optional(
    Type.Boolean({ description: 'True if anonymous users may open the map. They see only public layers' }),
  ),
}

export const MapBody = Type.Object({ map: Type.Object({ name: Type.Optional(Type.String()), ...content }) })

export const MapReply = Type.Object({
  map: Type.Object({
    name: Type.String(),
    title: Type.String(),
    layers: Type.Array(LayerOfMap),
    view: Type.Union([MapView, Type.Null()]),
    background: Type.Boolean(),
    legend: Type.Boolean(),
    owner: Type.Union([Type.String(), Type.Null()]),
    public: Type.Boolean(),
    omittedLayers: Type.Integer({
      description: 'Number of omitted layers: deleted, or not readable by the caller',
    }),
    note: Type.Optional(Type.String({ description: 'Message for people' })),
    mayChange: Type.Boolean({ description: 'The caller may change and delete it' }),
    href: Type.String(),
    dateCreated: Type.String(),
    dateModified: Type.String(),
  }),
})

export const MapList = Type.Object({
  maps: Type.Array(
    Type.Object({
      name: Type.String(),
      title: Type.String(),
      owner: Type.Union([Type.String(), Type.Null()]),
      public: Type.Boolean(),
      layers: Type.Integer({ description: 'Number of its layers, with those that the caller may not read' }),
      href: Type.String(),
      dateModified: Type.String(),
    }),
  ),
})

type LayerBody = Static<typeof LayerOfMap>

/** Returns the values that a body changes, over the present ones. New layers without a view are shown in full. */
export function readMapBody(
  { title, layers, view, background, legend, public: isPublic }: Static<typeof MapBody>['map'],
  current: MapValues,
): MapValues {
  const place = view !== undefined || layers !== undefined ? readView(view) : current.view
  return {
    title: title ?? current.title,
    layers: layers?.map(readLayer) ?? current.layers,
    view: place,
    hasBackground: background ?? current.hasBackground,
    hasLegend: legend ?? current.hasLegend,
    isPublic: isPublic ?? current.isPublic,
  }
}

function readView(view: Static<typeof MapView> | undefined): MapValues['view'] {
  if (view === undefined) return undefined
  const [longitude = 0, latitude = 0] = view.center
  if (Math.abs(latitude) > 90)
    throw invalid('invalid-body', `map.view.center: latitude ${latitude} is not between -90 and 90`)
  return { longitude, latitude, zoom: view.zoom }
}

function readLayer({ name, style, opacity = 1, visible = true, filter, group }: LayerBody): MapLayer {
  return { name, style, opacity, isVisible: visible, filter, group }
}

function toLayer({ name, style, opacity, isVisible, filter, group }: MapLayer): LayerBody {
  return { name, style, opacity, visible: isVisible, filter, group }
}

export function mapPath(name: string): string {
  return `/rest/maps/${encodeURIComponent(name)}`
}

/** Returns a map with the layers that its reader may see. */
export function toMapResponse(
  request: FastifyRequest,
  map: SavedMap,
  { readable, mayChange }: { readable: readonly MapLayer[]; mayChange: boolean },
): Static<typeof MapReply> {
  const { name, title, owner, view, hasBackground, hasLegend, isPublic } = map
  const omittedLayers = map.layers.length - readable.length
  const note = omittedLayers === 0 ? undefined : noteOf(omittedLayers)
  return {
    map: {
      name,
      title,
      layers: readable.map(toLayer),
      view: view === undefined ? null : { center: [view.longitude, view.latitude], zoom: view.zoom },
      background: hasBackground,
      legend: hasLegend,
      owner: owner ?? null,
      public: isPublic,
      omittedLayers,
      note,
      mayChange,
      href: request.link(mapPath(name)),
      dateCreated: map.createdAt,
      dateModified: map.updatedAt,
    },
  }
}

function noteOf(omitted: number): string {
  const layers = omitted === 1 ? '1 layer is' : `${omitted} layers are`
  return `${layers} not shown: deleted, or you may not read ${omitted === 1 ? 'it' : 'them'}`
}

export function toMapSummary(request: FastifyRequest, map: SavedMap): Static<typeof MapList>['maps'][number] {
  const { name, title, owner, isPublic, layers, updatedAt } = map
  const href = request.link(mapPath(name))
  return {
    name,
    title,
    owner: owner ?? null,
    public: isPublic,
    layers: layers.length,
    href,
    dateModified: updatedAt,
  }
}
