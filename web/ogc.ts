/** Pages below `/ogc` are written by the server and need no script; where one runs, a map takes the place of its picture. */
for (const place of document.querySelectorAll<HTMLElement>('[data-embed]')) {
  const { embed = '', title = '' } = place.dataset
  const frame = document.createElement('iframe')
  frame.src = embed
  frame.title = title
  frame.loading = 'lazy'
  frame.addEventListener('load', () => place.classList.add('live'), { once: true })
  place.append(frame)
}
