-- DuckDB on the tables that `leakline facts OUT` writes:  cd OUT/facts && duckdb < facts.sql

-- Lines that leak on some ranks only.
with last as (select * from 'lines/*.parquet' where is_last and file is not null)
select job, file, line, "function",
  count(*) filter (verdict in ('leak', 'growing')) as leaking_ranks,
  count(distinct rank) as ranks,
  sum(bytes) filter (verdict in ('leak', 'growing')) as bytes
from last
group by all
having leaking_ranks between 1 and ranks - 1
order by bytes desc
limit 20;

-- The fullest ranks.
select job, rank, peak_bytes, live_bytes, leaked_bytes, verdict
from 'ranks/*.parquet'
order by greatest(peak_bytes, live_bytes) desc
limit 10;

-- Ranks whose last snapshot is behind that of the others.
select job, rank, last_step, max(last_step) over (partition by job) as latest
from 'ranks/*.parquet'
qualify last_step < latest
order by last_step;
