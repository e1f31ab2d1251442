// simgrid_platform_dump: what SimGrid makes of a platform: hosts, links, and the routes between
// hosts, one line each. The same lines as platform_dump.c prints, so that the two can be compared
// with diff. Usage: simgrid_platform_dump FILE
#include <simgrid/s4u.hpp>
#include <smpi/smpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace sg4 = simgrid::s4u;

static void print_route(const sg4::Host* a, const sg4::Host* b)
{
  std::vector<sg4::Link*> links;
  double latency = 0;
  bool found = true;
  try {
    a->route_to(b, links, &latency);
  } catch (const std::exception&) {
    found = false; // "Bad gateways": zones without a way between them
  }
  std::printf("route %s %s", a->get_cname(), b->get_cname());
  if (!found || (links.empty() && latency <= 0)) {
    std::printf(" none\n");
    return;
  }
  std::printf(" %.17g", latency);
  for (const auto* l : links)
    std::printf(" %s", l->get_cname());
  std::printf("\n");
}

int main(int argc, char** argv)
{
  sg4::Engine e(&argc, argv);
  SMPI_init(); // its settings may stand in <config>
  e.register_default([](int, char**) {}); // a file may hold a deployment too
  e.load_platform(argv[1]);
  e.seal_platform();
  auto hosts = e.get_all_hosts();
  for (size_t i = 0; i < hosts.size(); i++)
    std::printf("place %zu %s\n", i, hosts[i]->get_cname());
  std::sort(hosts.begin(), hosts.end(), [](const sg4::Host* a, const sg4::Host* b) {
    return a->get_name() < b->get_name();
  });
  for (const auto* h : hosts)
    std::printf("host %s %.10g %d\n", h->get_cname(), h->get_speed(), h->get_core_count());
  auto links = e.get_all_links();
  std::sort(links.begin(), links.end(), [](const sg4::Link* a, const sg4::Link* b) {
    return a->get_name() < b->get_name();
  });
  using Policy = sg4::Link::SharingPolicy;
  for (const auto* l : links)
    std::printf("link %s %.10g %.10g %s\n", l->get_cname(), l->get_bandwidth(), l->get_latency(),
                l->get_sharing_policy() == Policy::FATPIPE ? "FATPIPE" : "SHARED");
  const uint64_t n = hosts.size();
  if (n <= 48) {
    for (uint64_t i = 0; i < n * n; i++)
      print_route(hosts[i / n], hosts[i % n]);
    return 0;
  }
  for (uint64_t i = 0; i < 2500; i++)
    print_route(hosts[i * 7919 % n], hosts[(i * 104729 + i / n) % n]);
  return 0;
}
