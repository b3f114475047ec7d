import { Type } from 'typebox'
import type { FastifyReply } from '../app-types.ts'
import { Bytes, media } from '../description.ts'
import { operation } from '../endpoint.ts'
import type { PictureDeps } from './picture-deps.ts'

const Icon = Type.Object({
  x: Type.Integer(),
  y: Type.Integer(),
  width: Type.Integer(),
  height: Type.Integer(),
  pixelRatio: Type.Integer(),
  sdf: Type.Literal(true),
})
const SpriteJson = Type.Record(Type.String(), Icon, { title: 'Sprite' })
/** The icons come with the program: they move with it alone. */
const maxAgeSeconds = 86_400

function keepLong(reply: FastifyReply): FastifyReply {
  return reply
    .header('cache-control', `public, max-age=${maxAgeSeconds}`)
    .header('access-control-allow-origin', '*')
}

const description =
  'Marks that take any colour (`sdf`), drawn for this project and free for any use (CC0). `style.json` names the sprite as `/tiles/sprites/marks`.'

function spriteJson(ratio: 1 | 2) {
  return operation({
    tags: ['tiles'],
    isPublicRead: true,
    summary: `Icons of maps as MapLibre names them${ratio === 2 ? ', with twice as many cells' : ''}`,
    description,
    answers: { 200: SpriteJson },
    handle: async ({ pictures }: Pick<PictureDeps, 'pictures'>, _request, reply) => {
      const { icons } = await pictures.sprite(ratio)
      keepLong(reply)
      return icons
    },
  })
}

function spritePng(ratio: 1 | 2) {
  return operation({
    tags: ['tiles'],
    isPublicRead: true,
    summary: `The picture of icons of maps${ratio === 2 ? ', with twice as many cells' : ''}`,
    description,
    answers: { 200: media('A picture', { 'image/png': Bytes }) },
    handle: async ({ pictures }: Pick<PictureDeps, 'pictures'>, _request, reply) => {
      const { png } = await pictures.sprite(ratio)
      return keepLong(reply).header('content-type', 'image/png').send(Buffer.from(png))
    },
  })
}

export const getSpriteJson = spriteJson(1)
export const getLargeSpriteJson = spriteJson(2)
export const getSpritePng = spritePng(1)
export const getLargeSpritePng = spritePng(2)
