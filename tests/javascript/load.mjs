// Says what comes of loading a game: its name or the error, milliseconds, and memory.
const { load } = await import(process.argv[2]);
const began = performance.now();
const said = await load(Buffer.from(process.argv[3], "base64")).then(game => game.name, String);
console.log(JSON.stringify([said, performance.now() - began, process.memoryUsage().rss]));
process.exit();
