// What was fetched once is there without a network as well.
const LATER = /\.safetensors$/;  // policies, when they first play
const NAME = "cyberdeck @VERSION@", FILES = @FILES@;
addEventListener("install", event => event.waitUntil(caches.open(NAME).then(cache => cache.addAll(FILES)).then(() => skipWaiting())));
addEventListener("activate", event => event.waitUntil((async () => {
  for (const name of await caches.keys()) if (name.startsWith("cyberdeck ") && name !== NAME) await caches.delete(name);
  await clients.claim();
})()));
addEventListener("fetch", event => {
  event.respondWith(caches.match(event.request, { ignoreSearch: true }).then(async found => {
    if (found) return found;
    const answer = await fetch(event.request);
    if (answer.ok && LATER.test(event.request.url)) (await caches.open(NAME)).put(event.request, answer.clone());
    return answer;
  }));
});
