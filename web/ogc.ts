/**
 * Pages below `/ogc` are rendered by the server and work without scripts; this one replaces the image by a
 * map.
 */
for (const place of document.querySelectorAll<HTMLElement>('[data-embed]')) {
  const { embed = '', title = '' } = place.dataset
  const frame = document.createElement('iframe')
  frame.src = embed
  frame.title = title
  frame.loading = 'lazy'
  frame.addEventListener('load', () => place.classList.add('live'), { once: true })
  place.append(frame)
}
